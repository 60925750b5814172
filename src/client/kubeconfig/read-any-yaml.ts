import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { asDoubles } from "#/machinery/patch/values/as-doubles.ts";

/** Reads YAML of any form, by upstream's rules and with its messages. */
export function readAnyYaml(text: string): unknown {
  return asDoubles(readYaml(Buffer.from(text)).value);
}
