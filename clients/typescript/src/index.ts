// SPDX-License-Identifier: Apache-2.0

/**
 * TypeScript client of the printmarket partner APIs.
 *
 * The types are generated from the published contracts. openapi-fetch turns them into
 * typed calls: `client.partner.GET("/api/v1/rfq/{rfqId}", {params: {path: {rfqId}}})`.
 */
import createFetchClient, {type Client} from "openapi-fetch";
import type {components, paths as PartnerPaths} from "./partner.js";
import type {paths as PreflightPaths} from "./preflight.js";
import type {paths as XjdfPaths} from "./xjdf.js";

/** The body of every error response (RFC 9457). */
export type Problem = components["schemas"]["Problem"];

/** One typed client for each published contract. */
export interface Printmarket {
  partner: Client<PartnerPaths, "application/json">;
  preflight: Client<PreflightPaths, "application/json">;
  xjdf: Client<XjdfPaths, "application/json">;
}

export interface Options {
  /** Address of the API, for example `https://api.example.com`. */
  baseUrl: string;
  /** `pmk_test_…` for the sandbox, `pmk_live_…` for production. */
  apiKey: string;
  /** Retries of a request that the server could not serve; 3 by default. */
  retries?: number;
  /** Replaces the global `fetch`, for tests and proxies. */
  fetch?: typeof fetch;
}

/** Creates the clients. Every request is sent with the key, and retried where that is safe. */
export function createPrintmarket(options: Options): Printmarket {
  const settings = {
    baseUrl: options.baseUrl,
    headers: {Authorization: `Bearer ${options.apiKey}`},
    fetch: retrying(options.fetch ?? fetch, options.retries ?? 3),
  };
  return {
    partner: createFetchClient<PartnerPaths, "application/json">(settings),
    preflight: createFetchClient<PreflightPaths, "application/json">(settings),
    xjdf: createFetchClient<XjdfPaths, "application/json">(settings),
  };
}

/** A response with an error status. `problem.code` is stable; show `problem.detail` to people. */
export class ProblemError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem | undefined,
  ) {
    super(problem ? `${status} ${problem.code}: ${problem.detail ?? problem.title}` : `status ${status}`);
    this.name = "ProblemError";
  }
}

/** Returns the data of a response, or throws a ProblemError. */
export async function unwrap<T>(call: Promise<{data?: T; error?: unknown; response: Response}>): Promise<T> {
  const {data, error, response} = await call;
  if (!response.ok) {
    throw new ProblemError(response.status, error as Problem | undefined);
  }
  return data as T;
}

/**
 * Retries 429, 503 and lost connections after `Retry-After`, at most 60 seconds, or after
 * 1, 2, 4 … seconds. A POST is retried only if it has an `Idempotency-Key`. A closed
 * capability is 503 without `Retry-After` and is not retried.
 */
function retrying(send: typeof fetch, retries: number): (request: Request) => Promise<Response> {
  return async (request) => {
    const safe = request.method !== "POST" || request.headers.has("Idempotency-Key");
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= retries || !safe;
      let seconds = 2 ** attempt;
      try {
        const response = await send(request.clone());
        const after = Number(response.headers.get("Retry-After"));
        if (last || (response.status !== 429 && response.status !== 503) || !(after > 0)) {
          return response;
        }
        seconds = Math.min(after, 60);
        await response.body?.cancel();
      } catch (error) {
        if (last || request.signal.aborted) {
          throw error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  };
}
