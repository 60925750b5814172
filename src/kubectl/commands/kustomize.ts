/** Upstream: sigs.k8s.io/kustomize/kustomize/v5/commands/build. */
import { statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { openFailure } from "#/std/file-errors.ts";
import { command } from "../command.ts";
import { CommandError } from "../errors.ts";
import { buildResources, printResources } from "../kustomize/build-kustomization.ts";
import { writeFiles } from "../kustomize/write-files.ts";

/** `kubectl kustomize`. */
export const kustomize = command({
  usage: "kustomize DIR",
  showsFlagsInUsage: true,
  flags: {
    "as-current-user": { type: "bool", help: "Run functions in containers as yourself" },
    "enable-alpha-plugins": { type: "bool", help: "Allow plugins" },
    "enable-helm": { type: "bool", help: "Allow Helm charts" },
    env: { type: "stringArray", shorthand: "e", help: "Environment variables of functions" },
    "helm-api-versions": { type: "stringArray", help: "API versions that Helm is told of" },
    "helm-command": { type: "string", default: "helm", help: "The helm program" },
    "helm-debug": { type: "bool", help: "Let helm say more" },
    "helm-kube-version": { type: "string", help: "The Kubernetes version that Helm is told of" },
    "load-restrictor": {
      type: "string",
      default: "LoadRestrictionsRootOnly",
      help: "'LoadRestrictionsNone' allows files from outside of the folder",
    },
    mount: { type: "stringArray", help: "What functions may read of the file system" },
    network: { type: "bool", help: "Let functions that ask for it use the network" },
    "network-name": { type: "string", default: "bridge", help: "The network of functions" },
    output: {
      type: "string",
      shorthand: "o",
      help: "The file to write to, or a folder for a file per object",
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
    const isHelmEnabled = flags["enable-helm"] === true;
    const resources = buildResources(context, args[0] ?? ".", { anyFile, isHelmEnabled });
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
