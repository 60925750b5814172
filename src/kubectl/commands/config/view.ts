/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/cmd/config/view.go,
 * staging/src/k8s.io/client-go/tools/clientcmd/api/helpers.go.
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Kubeconfig, User } from "#/client/kubeconfig/kubeconfig.ts";
import { type KubeconfigFile, mergeKubeconfigs } from "#/client/kubeconfig/kubeconfig-files.ts";
import { CommandError, usageError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command } from "../../command/command.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { KubeconfigAccess } from "./kubeconfig-access.ts";
import { typedKubeconfig } from "./typed-kubeconfig.ts";

const flags = {
  ...printFlags,
  output: { ...printFlags.output, default: "yaml" },
  merge: { type: "bool", default: true, help: "Merge all kubeconfig files that KUBECONFIG names" },
  raw: { type: "bool", help: "Show bytes and secrets as they are" },
  flatten: {
    type: "bool",
    help:
      "Replace paths by the content of the files, so that the output is complete in itself " +
      "and can be used on another machine",
  },
  minify: { type: "bool", help: "Leave out everything that the current context does not use" },
} as const;

/** `kubectl config view`. */
export const view = command({
  usage: "view",
  flags,
  showsFlagsInUsage: true,
  async run({ flags: values, args }, context) {
    if (args.length > 0) throw usageError(context, `unexpected arguments: [${args.join(" ")}]`);
    const { global } = context;
    if (!values.merge && global.kubeconfig === "") {
      throw new CommandError("if merge==false a precise file must be specified");
    }
    const access = await KubeconfigAccess.open(context);
    const shown = values.flatten ? mergeKubeconfigs(access.files.map(flattened)) : access.config;
    const chosen = values.minify ? minified(shown, global.context) : shown;
    const config = values.flatten || values.raw ? chosen : redacted(chosen);
    toPrinter(values, context, { operation: "", keepsOrder: true }).print(
      typedKubeconfig(config) as unknown as Unstructured,
      context.out,
    );
  },
});

/** Only the current context, and its cluster and user. */
function minified(config: Kubeconfig, context: string): Kubeconfig {
  const name = context || config["current-context"];
  if (!name) throw new CommandError("current-context must exist in order to minify");
  const entry = config.contexts?.find((one) => one.name === name);
  if (!entry) throw new CommandError(`cannot locate context ${name}`);
  const { cluster = "", user = "" } = entry.context ?? {};
  return {
    ...config,
    "current-context": name,
    contexts: [entry],
    clusters: only(config.clusters, "cluster", cluster),
    users: only(config.users, "user", user),
  };
}

function only<T extends { name: string }>(
  entries: T[] | null | undefined,
  noun: string,
  name: string,
): T[] {
  const found = (entries ?? []).filter((entry) => entry.name === name);
  if (name !== "" && found.length === 0) throw new CommandError(`cannot locate ${noun} ${name}`);
  return found;
}

/** Replaces file paths in a kubeconfig by the content of the files. */
function flattened({ path: origin, config }: KubeconfigFile): KubeconfigFile {
  const embed = <T extends object>(entry: T): T => {
    const copy = { ...entry } as Record<string, unknown>;
    for (const field of ["certificate-authority", "client-certificate", "client-key"]) {
      const path = copy[field];
      delete copy[field];
      if (typeof path !== "string" || path === "") continue;
      copy[`${field}-data`] = readFileSync(resolve(dirname(origin), path)).toString("base64");
    }
    return copy as T;
  };
  const clusters = config.clusters?.map((one) => ({ ...one, cluster: embed(one.cluster) }));
  const users = config.users?.map((one) => ({ ...one, user: embed(one.user) }));
  return { path: origin, config: { ...config, clusters: clusters ?? [], users: users ?? [] } };
}

const redactedText = "REDACTED";
const omittedText = "DATA+OMITTED";

/** Masks secrets, and omits long data. */
function redacted(config: Kubeconfig): Kubeconfig {
  return {
    ...config,
    clusters: (config.clusters ?? []).map((one) => ({
      ...one,
      cluster: one.cluster?.["certificate-authority-data"]
        ? { ...one.cluster, "certificate-authority-data": omittedText }
        : one.cluster,
    })),
    users: (config.users ?? []).map((one) => ({ ...one, user: redactedUser(one.user) })),
  };
}

function redactedUser(user: User): User {
  const shown = { ...user };
  if (shown["client-certificate-data"]) shown["client-certificate-data"] = omittedText;
  if (shown["client-key-data"]) shown["client-key-data"] = omittedText;
  if (shown.token) shown.token = redactedText;
  if (shown.password) shown.password = redactedText;
  return shown;
}
