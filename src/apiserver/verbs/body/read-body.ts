import { type Exchange, header } from "../../model/exchange.ts";

/** Limit of a request's body (bytes). */
const maxBodyBytes = 3 * 1024 * 1024;
/** Limit of YAML that is parsed in this thread (bytes): longer texts would block other requests. */
const largeYamlBytes = 32 * 1024;
const openingBrace = 0x7b;

/** The body of a request; 413 if it is too large. */
export async function readBody(exchange: Exchange): Promise<Uint8Array> {
  const body = await exchange.readBody(maxBodyBytes);
  const isLarge = body.length > largeYamlBytes && body[0] !== openingBrace;
  if (isLarge && header(exchange, "content-type")?.includes("yaml")) {
    const { readYamlAhead } = await import("./yaml-thread.ts");
    await readYamlAhead(body);
  }
  return body;
}
