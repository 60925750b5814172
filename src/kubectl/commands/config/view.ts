/** Upstream: k8s.io/kubectl/pkg/cmd/config/view.go, k8s.io/client-go/tools/clientcmd/api/helpers.go. */
import { readFileSync } from "node:fs";
import type { Kubeconfig, User } from "#/client/kubeconfig/kubeconfig.ts";
import { command } from "../../command.ts";
import { CommandError, usageError } from "../../errors.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import type { Unstructured } from "../../unstructured.ts";
import { KubeconfigAccess } from "./kubeconfig-access.ts";

const flags = {
  ...printFlags,
  merge: { type: "bool", default: true, help: "Merge the full hierarchy of kubeconfig files" },
  raw: { type: "bool", help: "Display raw byte data and sensitive data" },
  flatten: { type: "bool", help: "Put what files hold into the output" },
  minify: { type: "bool", help: "Leave out all that the current context doesn't use" },
} as const;

/** `kubectl config view`. */
export const view = command({
  usage: "view",
  description: "Shows the kubeconfig, merged, without what is secret in it.",
  examples: [["All", "kubectl config view"]],
  flags,
  showsFlagsInUsage: true,
  async run({ flags: values, args }, context) {
    if (args.length > 0) throw usageError(context, `unexpected arguments: [${args.join(" ")}]`);
    const { global } = context;
    if (!values.merge && global.kubeconfig === "") {
      throw new CommandError("if merge==false a precise file must be specified");
    }
    let { config } = await KubeconfigAccess.open(context);
    if (global.context !== "") config = { ...config, "current-context": global.context };
    if (values.minify) config = minified(config);
    if (values.flatten) config = flattened(config);
    else if (!values.raw) config = redacted(config);
    const output = values.output === "" ? "yaml" : values.output;
    const { preferences = {}, ...shown } = config;
    if (Object.keys(preferences).length > 0) Object.assign(shown, { preferences });
    toPrinter({ ...values, output }, context, { operation: "" }).print(
      shown as unknown as Unstructured,
      context.out,
    );
  },
});

/** Only the current context, and its cluster and user. */
function minified(config: Kubeconfig): Kubeconfig {
  const name = config["current-context"];
  if (!name) throw new CommandError("current-context must exist in order to minify");
  const entry = config.contexts?.find((one) => one.name === name);
  if (!entry) throw new CommandError(`cannot locate context ${name}`);
  const { cluster, user } = entry.context;
  return {
    ...config,
    contexts: [entry],
    clusters: (config.clusters ?? []).filter((one) => one.name === cluster),
    users: (config.users ?? []).filter((one) => one.name === user),
  };
}

/** Files' contents in their place. */
function flattened(config: Kubeconfig): Kubeconfig {
  const embed = <T extends object>(entry: T, fields: readonly string[]): T => {
    const copy = { ...entry } as Record<string, unknown>;
    for (const field of fields) {
      const path = copy[field];
      delete copy[field];
      if (typeof path === "string" && path !== "") {
        copy[`${field}-data`] = readFileSync(path).toString("base64");
      }
    }
    return copy as T;
  };
  return {
    ...config,
    clusters: (config.clusters ?? []).map((one) => ({
      ...one,
      cluster: embed(one.cluster, ["certificate-authority"]),
    })),
    users: (config.users ?? []).map((one) => ({
      ...one,
      user: embed(one.user, ["client-certificate", "client-key"]),
    })),
  };
}

const redactedText = "REDACTED";
const omittedText = "DATA+OMITTED";

/** What is secret is not shown, and what is long is left out. */
function redacted(config: Kubeconfig): Kubeconfig {
  return {
    ...config,
    clusters: (config.clusters ?? []).map((one) => ({
      ...one,
      cluster: one.cluster["certificate-authority-data"]
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
