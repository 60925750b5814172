import { scanJson } from "#/machinery/codec/json/json-scan.ts";
import { plainJsonSteps } from "#/machinery/codec/object-body.ts";
import { keepYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { type Exchange, header } from "../../model/exchange.ts";
import { countedBytes, fieldLimit } from "../../model/field-limit.ts";
import { inPace, paceOf } from "../../model/pace.ts";

/** Limit of a request's body (bytes). */
const maxBodyBytes = 3 * 1024 * 1024;
/** Limit of YAML that is parsed in this thread (bytes): it takes about a millisecond per KiB. */
const largeYamlBytes = 8 * 1024;

/** The body of a request; 413 if it is too large. A large one waits for its turn. */
export async function readBody(exchange: Exchange): Promise<Uint8Array> {
  const body = await exchange.readBody(maxBodyBytes);
  if (body.length <= largeYamlBytes) return body;
  const pace = paceOf(exchange);
  await pace.begin(body.length, "parse");
  if (header(exchange, "content-type")?.includes("yaml")) await readYamlAhead(exchange, body);
  else if (isCounted(body)) checkFields(body);
  await pace.rest("decode");
  return body;
}

/** Parses YAML here if it is plain JSON, as that of most clients is, and otherwise in a thread of its own. */
async function readYamlAhead(exchange: Exchange, body: Uint8Array): Promise<void> {
  if (body.length > countedBytes && startsObject(body)) checkFields(body);
  const plain = await inPace(exchange.pace, "parse", plainJsonSteps(body));
  if (plain) {
    keepYaml(body, () => plain);
    return;
  }
  const { parseYaml } = await import("./yaml-thread.ts");
  const read = await parseYaml(body, { owner: exchange.user?.name ?? "", signal: exchange.signal });
  if (read.json && read.json.length > countedBytes) checkFields(read.json);
  keepYaml(body, read.value);
}

/** A JSON text that is long enough for many fields; protobuf is none. */
const isCounted = (body: Uint8Array): boolean => body.length > countedBytes && startsText(body);

/** Throws 413 for a JSON text with too many fields, whatever its length. */
export function checkFields(json: Uint8Array): void {
  const { keys, elements, commas } = scanJson(json);
  if (Math.max(keys + elements, commas) > fieldLimit.count) throw fieldLimit.exceeded();
}

const firstByte = (body: Uint8Array): number => body.find((byte) => byte > 0x20) ?? 0;
const startsObject = (body: Uint8Array): boolean => firstByte(body) === 0x7b;
const startsText = (body: Uint8Array): boolean => startsObject(body) || firstByte(body) === 0x5b;
