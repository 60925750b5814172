import { randomUUID } from "node:crypto";
import { type Filter, header } from "../model/exchange.ts";

/**
 * Limit of the total size of Warning headers (characters); the rest is truncated.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/warning.go.
 */
const warningsMaxBytes = 4 * 1024;
const warningMaxRunes = 256;

/** Sets each request's audit id, and the headers of all responses. */
export function standardHeaders(): Filter {
  return async function standardHeadersFilter(exchange, next) {
    exchange.auditId = header(exchange, "audit-id") ?? randomUUID();
    const reply = await next(exchange);
    reply.headers["audit-id"] = exchange.auditId;
    reply.headers["cache-control"] ??= "no-cache, private";
    if (exchange.replyHeaders) Object.assign(reply.headers, exchange.replyHeaders);
    if (exchange.warnings.size > 0) reply.headers["warning"] = warningHeaders(exchange.warnings);
    return reply;
  };
}

function warningHeaders(warnings: ReadonlySet<string>): string[] {
  const total = warnings.values().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const values: string[] = [];
  let size = 0;
  for (const text of warnings) {
    // A header can't contain it.
    if (/\p{Cc}/u.test(text)) continue;
    const shown = total > warningsMaxBytes ? [...text].slice(0, warningMaxRunes).join("") : text;
    size += Buffer.byteLength(shown);
    if (size > warningsMaxBytes) break;
    values.push(`299 - "${quotedText(shown)}"`);
  }
  return values;
}

/** As a quoted string of a header: quotes and backslashes escaped, UTF-8 bytes unchanged. */
function quotedText(text: string): string {
  return Buffer.from(text.replace(/["\\]/g, "\\$&"), "utf8").toString("latin1");
}
