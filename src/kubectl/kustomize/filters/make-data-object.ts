/** Upstream: sigs.k8s.io/kustomize/api/internal/generators, kyaml/yaml/datamap.go. */
import { isUtf8 } from "node:buffer";
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import type { GeneratorArgs } from "../kustomization/kustomization.ts";
import { buildAnnotations } from "../resource/build-annotations.ts";
import { Resource } from "../resource/resource.ts";
import { ensureMapping, setField } from "../yaml/edit-node.ts";
import { mappingNode, scalarNode, stringNode, tags } from "../yaml/yaml-node.ts";
import { loadPairs } from "./load-pairs.ts";

/** Limit of a line of Base64 (characters). */
const lineLength = 70;

/** The ConfigMap or Secret of a generator. */
export function makeDataObject(
  kind: "ConfigMap" | "Secret",
  args: GeneratorArgs,
  loader: Loader,
): Resource {
  const { name = "", namespace = "", behavior = "", options = {} } = args;
  if (name === "") throw new KustomizeError("a configmap must have a name");
  const resource = new Resource(mappingNode());
  const { node } = resource;
  setField(node, "apiVersion", scalarNode("v1"));
  setField(node, "kind", scalarNode(kind));
  setField(ensureMapping(node, "metadata"), "name", stringNode(name));
  if (namespace !== "")
    setField(ensureMapping(node, "metadata"), "namespace", stringNode(namespace));
  if (kind === "Secret") setField(node, "type", stringNode(args.type || "Opaque"));
  addData(resource, kind, loadPairs(args, loader));
  if (options.labels) resource.labels = { ...options.labels };
  const notes = {
    ...(!options.disableNameSuffixHash && { [buildAnnotations.needsHashSuffix]: "enabled" }),
    [buildAnnotations.generatorBehavior]: knownBehavior(behavior),
  };
  resource.annotations = { ...options.annotations, ...notes };
  if (options.immutable) setField(node, "immutable", scalarNode("true", tags.boolean));
  return resource;
}

function knownBehavior(behavior: string): string {
  return ["create", "replace", "merge"].includes(behavior) ? behavior : "unspecified";
}

function addData(
  { node }: Resource,
  kind: "ConfigMap" | "Secret",
  pairs: ReadonlyMap<string, Buffer>,
): void {
  if (kind === "Secret") ensureMapping(node, "data");
  for (const key of [...pairs.keys()].sort()) {
    const bytes = pairs.get(key) ?? Buffer.alloc(0);
    const isText = kind === "ConfigMap" && isUtf8(bytes);
    const field = kind === "ConfigMap" && !isText ? "binaryData" : "data";
    const value = isText ? bytes.toString("utf8") : wrappedBase64(bytes);
    setField(ensureMapping(node, field), key, stringNode(value));
  }
}

/** Base64; over several lines if it is long, each with a line end. */
function wrappedBase64(bytes: Buffer): string {
  const text = bytes.toString("base64");
  if (text.length < lineLength) return text;
  return text.replace(new RegExp(`.{1,${lineLength}}`, "g"), "$&\n");
}
