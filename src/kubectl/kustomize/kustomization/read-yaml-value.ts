/** Upstream: sigs.k8s.io/yaml. */
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { within } from "../failure/kustomize-error.ts";

/** The JSON value of a YAML text; the last of duplicate keys counts. */
export function readYamlValue(text: Uint8Array | string): unknown {
  try {
    return readYaml(Buffer.from(text)).value;
  } catch (error) {
    throw within("error converting YAML to JSON", error);
  }
}
