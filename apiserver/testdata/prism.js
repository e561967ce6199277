// SPDX-License-Identifier: Apache-2.0

// Compares responses with their contracts by the validators of Stoplight Prism. The
// arguments are contracts. Each line of standard input is a response, and each line of
// standard output the list of its violations.
const {createInterface} = require("node:readline");
const {isLeft} = require("fp-ts/Either");
const {getHttpOperationsFromSpec} = require("@stoplight/prism-http");
const {validateOutput} = require("@stoplight/prism-http/dist/validator");

async function main(contracts) {
  const operations = new Map();
  for (const contract of contracts) {
    for (const operation of await getHttpOperationsFromSpec(contract)) {
      operations.set(`${operation.method.toUpperCase()} ${operation.path}`, operation);
    }
  }
  for await (const line of createInterface({input: process.stdin})) {
    const {operation, status, headers, body} = JSON.parse(line);
    const json = /json$/.test((headers["content-type"] ?? "").split(";")[0]);
    const element = {statusCode: status, headers, body: json && body ? JSON.parse(body) : body || undefined};
    const resource = operations.get(operation);
    const outcome = resource ? validateOutput({resource, element}) : {_tag: "Left", left: [{message: "unknown operation"}]};
    console.log(JSON.stringify(isLeft(outcome) ? outcome.left : []));
  }
}

main(process.argv.slice(2));
