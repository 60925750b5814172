/** Upstream: sigs.k8s.io/kustomize/kustomize/v5/commands/build. */
import { statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { openFailure } from "#/std/files/file-errors.ts";
import { CommandError } from "../base/errors.ts";
import { command } from "../command/command.ts";
import { buildResources, printResources } from "../kustomize/build-kustomization.ts";
import { writeFiles } from "../kustomize/write-files.ts";

/** `kubectl kustomize`. */
export const kustomize = command({
  usage: "kustomize DIR",
  showsFlagsInUsage: true,
  flags: {
    "as-current-user": {
      type: "bool",
      help: "Run functions in containers with the uid and gid of the current user",
    },
    "enable-alpha-plugins": { type: "bool", help: "Enable kustomize's plugins" },
    "enable-helm": { type: "bool", help: "Enable the generator that inflates Helm charts" },
    env: {
      type: "stringArray",
      shorthand: "e",
      help: "Environment variable that functions get. May be repeated",
    },
    "helm-api-versions": {
      type: "stringArray",
      help: "API versions that Helm sees in Capabilities.APIVersions",
    },
    "helm-command": { type: "string", default: "helm", help: "Path of the helm program" },
    "helm-debug": { type: "bool", help: "Print debug output of the Helm chart generator" },
    "helm-kube-version": {
      type: "string",
      help: "Kubernetes version that Helm sees in Capabilities.KubeVersion",
    },
    "load-restrictor": {
      type: "string",
      default: "LoadRestrictionsRootOnly",
      help:
        "With 'LoadRestrictionsNone', kustomizations may load files from outside of their " +
        "directory. They can then no longer be moved elsewhere by themselves",
    },
    mount: {
      type: "stringArray",
      help: "Storage of the file system that functions get. May be repeated",
    },
    network: {
      type: "bool",
      help: "Give network access to functions that declare that they need it",
    },
    "network-name": {
      type: "string",
      default: "bridge",
      help: "Network that the containers of functions run in",
    },
    output: {
      type: "string",
      shorthand: "o",
      help: "File to write to, or an existing directory, which gets a file per object",
    },
  },
  async run({ flags, args }, context) {
    if (args.length > 1) throw new CommandError("specify one path to kustomization.yaml");
    const restrictor = flags["load-restrictor"];
    if (restrictor !== "LoadRestrictionsRootOnly" && restrictor !== "LoadRestrictionsNone") {
      throw new CommandError(
        `illegal flag value --load-restrictor ${restrictor}; legal values: [LoadRestrictionsRootOnly LoadRestrictionsNone]`,
      );
    }
    const anyFile = restrictor === "LoadRestrictionsNone";
    const helm = {
      command: flags["helm-command"],
      cwd: context.path("."),
      env: context.env,
      kubeVersion: flags["helm-kube-version"],
      apiVersions: flags["helm-api-versions"],
      debug: flags["helm-debug"],
    };
    const isHelmEnabled = flags["enable-helm"] || flags["enable-alpha-plugins"];
    const options = { anyFile, ...(isHelmEnabled && { helm }) };
    const resources = buildResources(context, args[0] ?? ".", options);
    const output = flags.output === "" ? undefined : context.path(flags.output);
    if (output !== undefined && statSync(output, { throwIfNoEntry: false })?.isDirectory()) {
      await writeFiles(output, resources);
    } else if (output === undefined) context.out.write(printResources(resources));
    else await writeOutput(output, flags.output, printResources(resources));
  },
});

async function writeOutput(path: string, name: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new CommandError(openFailure(name, error), { cause: error });
  }
}
