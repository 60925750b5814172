import { asDoubles } from "#/machinery/codec/as-doubles.ts";
import { readYaml } from "#/machinery/codec/yaml-reader.ts";

/** Reads YAML of any form, by upstream's rules and with its messages. */
export function readAnyYaml(text: string): unknown {
  return asDoubles(readYaml(Buffer.from(text)).value);
}
