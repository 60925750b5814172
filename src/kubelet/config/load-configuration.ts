/** Upstream: cmd/kubelet/app/server.go, pkg/kubelet/kubeletconfig/configfiles/configfiles.go. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { overlayFlags } from "#/std/flags/config-file.ts";
import type { ParsedFlags } from "#/std/flags/flags.ts";
import { parseYaml } from "#/std/text/yaml.ts";
import { completeConfiguration } from "./configuration-defaults.ts";
import { kubeletFlags } from "./flags.ts";
import type { GivenConfiguration, KubeletConfiguration } from "./kubelet-configuration.ts";

const apiVersion = "kubelet.config.k8s.io/v1beta1";
const kind = "KubeletConfiguration";

/** Fields with a path; relative ones are relative to the file that sets them. */
const pathFields = ["staticPodPath", "tlsCertFile", "tlsPrivateKeyFile", "resolvConf"] as const;

/** The configuration from --config, then --config-dir, then the other flags, with defaults. */
export async function loadConfiguration(
  parsed: Pick<ParsedFlags<typeof kubeletFlags>, "values" | "changed">,
): Promise<KubeletConfiguration> {
  const { config, "config-dir": directory } = parsed.values;
  let given: GivenConfiguration = config === "" ? {} : await readConfiguration(config);
  for (const file of directory === "" ? [] : await dropIns(directory)) {
    given = merge(given, await readConfiguration(file)) as GivenConfiguration;
  }
  return completeConfiguration(overlayFlags(given, kubeletFlags, parsed));
}

async function readConfiguration(path: string): Promise<GivenConfiguration> {
  const value: unknown = parseYaml(await readFile(path, "utf8")) ?? {};
  const given = value as GivenConfiguration;
  if (given.kind !== kind || given.apiVersion !== apiVersion) {
    throw new Error(
      `failed to load kubelet config file, path: ${path}, error: no kind "${given.kind ?? ""}" is registered for version "${given.apiVersion ?? ""}"`,
    );
  }
  const absolute = { ...given };
  for (const field of pathFields) {
    const text = given[field];
    if (text && !isAbsolute(text)) absolute[field] = join(dirname(path), text);
  }
  return absolute;
}

async function dropIns(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".conf"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Objects are merged, everything else is replaced. */
function merge(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) merged[name] = merge(base[name], value);
  return merged;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
