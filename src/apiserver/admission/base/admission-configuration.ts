import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { table } from "#/std/base/table.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** Configurations of plugins by name, as parsed YAML. */
type PluginConfigurations = ReadonlyMap<string, unknown>;

interface PluginEntry {
  readonly name?: string;
  readonly path?: string;
  readonly configuration?: unknown;
}

const kinds = [
  "apiserver.config.k8s.io/v1 AdmissionConfiguration",
  "apiserver.k8s.io/v1alpha1 AdmissionConfiguration",
];
/** Files of these plugins are accepted instead of an AdmissionConfiguration, recognized by this top-level key. */
const bareFiles: Readonly<Record<string, string>> = table({
  imagePolicy: "ImagePolicyWebhook",
  podNodeSelectorPluginConfig: "PodNodeSelector",
});

/**
 * Reads --admission-control-config-file. Rejects if it is invalid.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/config.go.
 */
export async function readAdmissionConfiguration(path: string): Promise<PluginConfigurations> {
  if (path === "") return new Map();
  const file = (await readYamlFile(path)) as Readonly<Record<string, unknown>>;
  if (!kinds.includes(`${String(file["apiVersion"])} ${String(file["kind"])}`)) {
    return readBareFile(path, file);
  }
  const entries = (file["plugins"] ?? []) as readonly PluginEntry[];
  const configurations = new Map<string, unknown>();
  for (const { name = "", path: other, configuration } of entries) {
    if (configurations.has(name)) continue;
    const inFile = configuration === undefined && other;
    configurations.set(
      name,
      inFile ? await readYamlFile(resolve(dirname(path), other)) : configuration,
    );
  }
  return configurations;
}

function readBareFile(path: string, file: Readonly<Record<string, unknown>>): PluginConfigurations {
  const names = Object.keys(bareFiles).filter((key) => Object.hasOwn(file, key));
  if (names.length === 0) {
    throw new Error(
      `failed to read plugin config: ${goQuote(path)} holds no AdmissionConfiguration`,
    );
  }
  return new Map(Object.values(bareFiles).map((plugin) => [plugin, file]));
}

async function readYamlFile(path: string): Promise<unknown> {
  try {
    return readYaml(await readFile(path)).value ?? {};
  } catch (error) {
    throw new Error(
      `unable to read admission control configuration from ${goQuote(path)} [${(error as Error).message}]`,
      { cause: error },
    );
  }
}
