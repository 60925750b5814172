/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd/loader.go. */
import { goQuote } from "#/std/go/go-quote.ts";
import { plainJson } from "#/std/text/plain-json.ts";
import { checkTypes } from "./check-types.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import { readPlainYaml } from "./plain-yaml.ts";

/** Reads the text of a kubeconfig. */
export async function parseKubeconfig(text: string): Promise<Kubeconfig> {
  const plain = plainJson(text) ?? readPlainYaml(text);
  const value = plain ?? (await import("./read-any-yaml.ts")).readAnyYaml(text) ?? {};
  if (typeof value !== "object" || Array.isArray(value)) throw notAnObject(value);
  const { kind = "Config", apiVersion = "v1" } = value as Kubeconfig;
  if (`${apiVersion} ${kind}` !== "v1 Config") {
    throw new Error(
      `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  checkTypes(value);
  return value as Kubeconfig;
}

function notAnObject(value: unknown): Error {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const wanted =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  return new Error(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type ${wanted}`,
  );
}
