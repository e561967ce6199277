// SPDX-License-Identifier: Apache-2.0
"use strict";

// CodeSamples is a plugin of Swagger UI. It shows the samples of an operation (x-codeSamples)
// as tabs above its responses. The last chosen language is the first choice of operations that
// are opened later.
function CodeSamples({React}) {
  const h = React.createElement;
  let preferred = "";

  function Samples({samples, id}) {
    const found = samples.findIndex((sample) => sample.label === preferred);
    const [chosen, setChosen] = React.useState(Math.max(found, 0));
    const [copied, setCopied] = React.useState(false);
    const tabs = React.useRef([]);
    const choose = (index) => {
      preferred = samples[index].label;
      setChosen(index);
      setCopied(false);
    };
    // The keys of tabs in the ARIA Authoring Practices Guide.
    const keys = {
      ArrowRight: () => (chosen + 1) % samples.length,
      ArrowLeft: () => (chosen + samples.length - 1) % samples.length,
      Home: () => 0,
      End: () => samples.length - 1,
    };
    const move = (event) => {
      if (event.key in keys) {
        event.preventDefault();
        const index = keys[event.key]();
        choose(index);
        tabs.current[index].focus();
      }
    };
    const copy = () => navigator.clipboard.writeText(samples[chosen].source).then(() => setCopied(true));
    return h("section", {className: "code-samples", "aria-label": "Code samples"},
      h("div", {className: "opblock-section-header"},
        h("h4", null, "Code samples"),
        h("button", {type: "button", className: "btn", onClick: copy}, copied ? "Copied" : "Copy")),
      h("div", {role: "tablist", "aria-label": "Languages", onKeyDown: move}, samples.map((sample, index) =>
        h("button", {
          key: sample.label, type: "button", role: "tab", id: `${id}-${index}`, "aria-selected": index === chosen,
          "aria-controls": `${id}-panel`, tabIndex: index === chosen ? 0 : -1, onClick: () => choose(index),
          ref: (element) => { tabs.current[index] = element; },
        }, sample.label))),
      h("pre", {role: "tabpanel", id: `${id}-panel`, tabIndex: 0, "aria-labelledby": `${id}-${chosen}`},
        h("code", null, samples[chosen].source)));
  }

  return {
    wrapComponents: {
      responses: (Responses, system) => function ResponsesWithSamples(props) {
        const operation = system.specSelectors.specJson().getIn(["paths", props.path, props.method]);
        const samples = operation?.get("x-codeSamples")?.toJS() || [];
        return h(React.Fragment, null,
          samples.length > 0 && h(Samples, {samples, id: `samples-${operation.get("operationId")}`}),
          h(Responses, props));
      },
    },
  };
}
