import type { RE2JS } from "re2js";
import { FlagError } from "#/std/flags/flags.ts";
import { re2 } from "#/std/go/re2.ts";
import { type Filter, header } from "../model/exchange.ts";

const methods = "POST, GET, OPTIONS, PUT, DELETE, PATCH";
const headers =
  "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since";

/**
 * Adds CORS headers for the origins of --cors-allowed-origins.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/filters/cors.go.
 */
export function allowOrigins(patterns: readonly string[]): Filter {
  const allowed = patterns.map(compile);
  return async function allowOriginsFilter(exchange, next) {
    const origin = header(exchange, "origin") ?? "";
    if (origin === "" || !allowed.some((pattern) => pattern.matcher(origin).find()))
      return next(exchange);
    exchange.replyHeaders = {
      ...exchange.replyHeaders,
      "access-control-allow-origin": origin,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": headers,
      "access-control-expose-headers": "Date",
      "access-control-allow-credentials": "true",
    };
    if (exchange.method !== "OPTIONS") return next(exchange);
    return { status: 204, headers: {}, body: { type: "bytes", chunks: [] } };
  };
}

function compile(pattern: string): RE2JS {
  try {
    return re2().RE2JS.compile(pattern);
  } catch (error) {
    throw new FlagError(`cors-allowed-origins: ${(error as Error).message}`);
  }
}
