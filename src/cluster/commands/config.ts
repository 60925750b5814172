import { parseFlags } from "#/std/flags/flags.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import { type ClusterSettings, getSettings, nodeIps, serverPort } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { explainField } from "../config/explain-field.ts";
import { type Origin, printConfig } from "../config/print-config.ts";
import { readConfig } from "../config/read-config.ts";
import { checkParts } from "../plan/check-parts.ts";
import { partArgValues } from "../plan/part-args.ts";
import { storeValues } from "../plan/store-flags.ts";
import { clusterFlags, upFlags } from "../plan/up-flags.ts";
import { upSettings } from "../plan/up-settings.ts";

/** `k8ts config print|validate|explain`: the configuration of `up --config`. */
export const main = command({
  name: "config",
  description: `Shows and checks configurations: print shows the whole effective configuration, of a cluster or of a
file, with the origin of each value; validate checks a file and changes nothing; explain describes a field, or all.`,
  arguments: ["print|validate|explain", "[FILE|FIELD]"],
  examples: [
    ["Show the configuration of the cluster", "config print"],
    ["Check a file", "config validate cluster.yaml"],
    ["Describe a field", "config explain network.podCIDR"],
  ],
  flags: clusterFlags,
  async run({ values, args: [verb, subject = ""] }) {
    if (verb === "explain") print(explain(subject));
    else if (verb === "validate" && subject !== "") print(await validate(subject));
    else if (verb === "print" && subject !== "") print(await printFile(subject));
    else if (verb === "print") print(printCluster(getSettings(pathsOf(values))));
    else
      throw new CommandFailure(
        `say what to do: ${ownCommand("config print")}, validate FILE, or explain [FIELD]`,
      );
    return 0;
  },
});

const print = (text: string): void => void process.stdout.write(text);

function explain(field: string): string {
  const text = explainField(field);
  if (text !== undefined) return text;
  throw new CommandFailure(`there is no field ${field}; see: ${ownCommand("config explain")}`);
}

/** Checks everything that `up` checks before it changes the machine. */
async function validate(file: string): Promise<string> {
  const { args, documents } = await readConfig(file);
  const { values, changed } = parseFlags(upFlags, words(args));
  const config = { flagNames: args.map(({ flag }) => flag), documents };
  const user = { path: "", owner: undefined, isAsked: false };
  const settings = await upSettings({
    found: undefined,
    flags: { ...values, name: values.name || "k8ts" },
    changed,
    user,
    pools: [],
    config,
  });
  await checkParts(settings);
  return `${file} is valid\n`;
}

async function printFile(file: string): Promise<string> {
  const { args, documents } = await readConfig(file);
  const { values } = parseFlags(upFlags, words(args));
  const effective = (flag: string): Origin => ({
    value: (values as Readonly<Record<string, unknown>>)[flag],
    origin: args.findLast((arg) => arg.flag === flag)?.at ?? "default",
  });
  return printConfig(effective, documents);
}

const words = (args: readonly { readonly word: string }[]): string[] =>
  args.map(({ word }) => word);

/** The configuration that a cluster runs with. */
function printCluster(settings: ClusterSettings): string {
  const { values: defaults } = parseFlags(upFlags, []);
  const values = valuesOf(settings);
  const configured = settings.configuredFlags ?? [];
  const effective = (flag: string): Origin => {
    const usual = (defaults as Readonly<Record<string, unknown>>)[flag];
    if (!Object.hasOwn(values, flag)) return { value: usual, origin: "default" };
    const value = values[flag];
    const isUsual = JSON.stringify(value) === JSON.stringify(usual);
    const chosen = configured.includes(flag) ? "configuration" : "cluster";
    return { value, origin: isUsual ? "default" : chosen };
  };
  return printConfig(effective, settings.documents ?? {});
}

/** The flags that settings were made of. */
function valuesOf(settings: ClusterSettings): Readonly<Record<string, unknown>> {
  return {
    name: settings.name,
    "tls-san": settings.serverNames,
    "virtual-address": settings.virtualAddress ?? "",
    manifests: settings.manifests ?? [],
    audit: settings.audit ?? true,
    "encrypt-secrets": settings.encryptsSecrets ?? false,
    "secure-port": serverPort(settings.server),
    "pod-network-cidr": settings.podCidr,
    "service-cidr": settings.serviceCidr,
    "service-dns-domain": settings.clusterDomain,
    "lb-pool": settings.lbPool,
    "lb-announce": settings.lbAnnounce,
    ...storeValues(settings.etcd),
    "registry-mirror": settings.registryMirrors ?? [],
    "proxy-mode": settings.proxyMode,
    "anti-spoofing": settings.antiSpoofing,
    "node-name": settings.nodeName,
    "node-ip":
      settings.isNodeIpFixed && !settings.networkNamespace ? nodeIps(settings).join(",") : "",
    disable: settings.disabled,
    runtime: settings.runtime,
    "runtime-dir": settings.runtimeFolder ?? "",
    "container-runtime-endpoint": settings.runtimeEndpoint ?? "",
    v: settings.verbosity,
    "logging-format": settings.logFormat,
    ...partArgValues(settings.partArgs),
  };
}
