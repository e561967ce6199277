// SPDX-License-Identifier: Apache-2.0

// Writes one Postman collection, with a folder for each contract of the arguments. Random
// ids and copies of responses are left out, so that the same contracts give the same file.
const {readFileSync} = require("node:fs");
const {convert} = require("openapi-to-postmanv2");

const options = {folderStrategy: "Tags", requestParametersResolution: "Example"};

function convertContract(file) {
  return new Promise((resolve, reject) => {
    convert({type: "string", data: readFileSync(file, "utf8")}, options, (error, result) => {
      if (error || !result.result) {
        reject(error ?? new Error(`${file}: ${result.reason}`));
        return;
      }
      const {info, item} = result.output[0].data;
      resolve({name: info.name, item: strip(item)});
    });
  });
}

function strip(node) {
  if (Array.isArray(node)) {
    return node.map(strip);
  }
  if (node === null || typeof node !== "object") {
    return node;
  }
  const random = (name, value) => name === "id" && /^[0-9a-f-]{36}$/.test(value);
  return Object.fromEntries(
    Object.entries(node)
      .filter(([name, value]) => name !== "response" && !random(name, value))
      .map(([name, value]) => [name, strip(value)]),
  );
}

async function main(contracts) {
  const collection = {
    info: {
      name: "printmarket",
      description: "Set baseUrl and bearerToken (an API key) in the variables of the collection.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: {type: "bearer", bearer: [{key: "token", value: "{{bearerToken}}", type: "string"}]},
    variable: [
      {key: "baseUrl", value: "http://127.0.0.1:8080"},
      {key: "bearerToken", value: ""},
    ],
    item: await Promise.all(contracts.map(convertContract)),
  };
  console.log(JSON.stringify(collection, null, 2));
}

main(process.argv.slice(2));
