import { randomUUID } from "node:crypto";
import { type Filter, header } from "../model/exchange.ts";

/** Total size of the texts of Warning headers; the rest is cut. Upstream: endpoints/filters/warning.go. */
const warningsMaxBytes = 4 * 1024;
const warningMaxRunes = 256;

/** Gives each request its audit id, and each reply the headers that all replies have. */
export function standardHeaders(): Filter {
  return async function standardHeadersFilter(exchange, next) {
    exchange.auditId = header(exchange, "audit-id") ?? randomUUID();
    const reply = await next(exchange);
    reply.headers["audit-id"] = exchange.auditId;
    reply.headers["cache-control"] ??= "no-cache, private";
    if (exchange.replyHeaders) Object.assign(reply.headers, exchange.replyHeaders);
    if (exchange.warnings.length > 0) reply.headers["warning"] = warningHeaders(exchange.warnings);
    return reply;
  };
}

function warningHeaders(warnings: readonly string[]): string[] {
  const total = warnings.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const values: string[] = [];
  let size = 0;
  for (const text of warnings) {
    // No header can carry it.
    if (/\p{Cc}/u.test(text)) continue;
    const shown = total > warningsMaxBytes ? [...text].slice(0, warningMaxRunes).join("") : text;
    size += Buffer.byteLength(shown);
    if (size > warningsMaxBytes) break;
    values.push(`299 - "${quotedText(shown)}"`);
  }
  return values;
}

/** As a quoted string of a header: quotes and backslashes escaped, bytes of UTF-8 as they are. */
function quotedText(text: string): string {
  return Buffer.from(text.replace(/["\\]/g, "\\$&"), "utf8").toString("latin1");
}
