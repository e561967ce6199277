// SPDX-License-Identifier: Apache-2.0

// Requests quotes and preflights a PDF in the sandbox. Run it against `make run`:
//
//   set -a; . ../../.printmarket/dev.env; set +a
//   npm install && npm run quickstart

import {createPrintmarket, ProblemError, unwrap} from "./index.js";

declare const process: {env: Record<string, string | undefined>};

const {PRINTMARKET_API_URL: baseUrl, PRINTMARKET_ACME_TEST_KEY: apiKey, PRINTMARKET_DASHBOARD_URL: files} = process.env;
if (!baseUrl || !apiKey || !files) {
  throw new Error("set PRINTMARKET_API_URL, PRINTMARKET_ACME_TEST_KEY and PRINTMARKET_DASHBOARD_URL");
}
const {partner, preflight} = createPrintmarket({baseUrl, apiKey});

// In the sandbox, two simulated suppliers quote this product at once.
const created = await unwrap(
  partner.POST("/api/v1/rfq", {
    params: {header: {"Idempotency-Key": crypto.randomUUID()}},
    body: {
      catalogProductUid: "sim:rfq:quoted",
      category: "commercial-print",
      title: "Spring flyers",
      quantity: 5000,
      deliveryCity: "Utrecht",
    },
  }),
);
const quotes = await unwrap(partner.GET("/api/v1/rfq/{rfqId}/quotes", {params: {path: {rfqId: created.id}}}));
for (const quote of quotes.items) {
  console.log(`quote: ${quote.supplier.displayName} ${quote.total.amount} ${quote.total.currency}`);
}

let job = await unwrap(
  preflight.POST("/api/v1/preflight", {body: {fileUrl: `${files}/files/sample.pdf`, profile: "print_ready"}}),
);
while (job.status === "queued" || job.status === "processing") {
  await new Promise((resolve) => setTimeout(resolve, 500));
  job = await unwrap(preflight.GET("/api/v1/preflight/{jobId}", {params: {path: {jobId: job.jobId}}}));
}
console.log(`preflight: ${job.status}, verdict ${job.result?.verdict ?? "none"}`);

// Estimates are disabled: a problem with a stable code describes what to do.
try {
  await unwrap(partner.POST("/api/v1/estimate", {}));
} catch (error) {
  if (!(error instanceof ProblemError)) {
    throw error;
  }
  console.log(`estimate: ${error.status} ${error.problem?.code}`);
}
