/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create/create_configmap.go. */
import { isUtf8 } from "node:buffer";
import { isConfigMapKey } from "#/machinery/meta/text-rules.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import {
  addEnvFiles,
  addFiles,
  addLiterals,
  checkSources,
  contentHash,
  sortedMap,
  sourceFlags,
} from "./data-sources.ts";
import { generator } from "./generator.ts";

/** `kubectl create configmap`. */
export const createConfigMap = generator({
  usage:
    "configmap NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
  aliases: ["cm"],
  flags: sourceFlags,
  failure: "failed to create configmap:",
  build: ({ name, flags, metadata, context }) => {
    checkSources(flags);
    const data: Record<string, string> = {};
    const binaryData: Record<string, string> = {};
    const add = (key: string, bytes: Buffer): void => {
      checkKey(key, { name, data, binaryData });
      if (isUtf8(bytes)) data[key] = bytes.toString();
      else binaryData[key] = bytes.toString("base64");
    };
    addFiles(context, flags["from-file"], add);
    addLiterals(flags["from-literal"], add);
    addEnvFiles(context, flags["from-env-file"], "config", add);
    const content = {
      data: sortedMap(data),
      ...(Object.keys(binaryData).length > 0 ? { binaryData: sortedMap(binaryData) } : {}),
    };
    const hash = flags["append-hash"]
      ? `-${contentHash({ kind: "ConfigMap", name, ...content })}`
      : "";
    return {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...metadata, name: `${name}${hash}` },
      ...content,
    };
  },
});

interface Content {
  readonly name: string;
  readonly data: object;
  readonly binaryData: object;
}

function checkKey(key: string, { name, data, binaryData }: Content): void {
  const problems = isConfigMapKey(key);
  if (problems.length > 0) {
    throw new CommandError(
      `${goQuote(key)} is not a valid key name for a ConfigMap: ${problems.join(",")}`,
    );
  }
  const field = Object.hasOwn(data, key)
    ? "Data"
    : Object.hasOwn(binaryData, key)
      ? "BinaryData"
      : undefined;
  if (field === undefined) return;
  throw new CommandError(
    `cannot add key ${goQuote(key)}, another key by that name already exists in ${field} for ConfigMap ${goQuote(name)}`,
  );
}
