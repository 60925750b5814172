/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/set/set_image.go. */
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, Errors } from "../../base/errors.ts";
import { parsePairs, splitPairs } from "../../base/pairs.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { dryRunOf, selectorFlag } from "../../command/shared-flags.ts";
import type { DryRun } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import {
  localNeedsFiles,
  localOnServer,
  podSpecOf,
  setFlags,
  setOnAll,
  targetsOf,
} from "./set-objects.ts";

const flags = { ...setFlags, ...selectorFlag } satisfies FlagSet;

type ImageInvocation = Invocation<typeof flags>;

/** `kubectl set image`. */
export const setImage = command({
  usage:
    "image (-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N",
  flags,
  completes: {
    of: "resources",
    types: [
      "daemonsets",
      "deployments",
      "pods",
      "cronjobs",
      "replicasets",
      "replicationcontrollers",
      "statefulsets",
    ],
    repeats: false,
  },
  run,
});

async function run({ flags, args }: ImageInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const printer = toPrinter(flags, context, {
    operation: "image updated",
    dryRun,
    keepsOrder: true,
  });
  const { resources, pairs } = splitPairs(args, "image");
  const images = Object.entries(parsePairs(pairs, "image", { removable: false }).set);
  if (flags.local && resources.length > 0) throw new CommandError(localNeedsFiles);
  const infos = await targetsOf(flags, resources, context);
  validate(flags, { resources, images, dryRun });
  const setting = {
    context,
    printer,
    dryRun,
    local: flags.local,
    fieldManager: flags["field-manager"],
    record: flags.record,
    failure: "failed to patch image update to pod template:",
  };
  await setOnAll(setting, infos, (object, errors) => {
    const spec = podSpecOf(object);
    for (const [name, image] of images) {
      const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
      const found = all.filter((container) => name === "*" || container.name === name);
      for (const container of found) container.image = image;
      if (found.length === 0) {
        errors.push(new CommandError(`error: unable to find container named ${goQuote(name)}`));
      }
    }
  });
}

interface Checked {
  readonly resources: readonly string[];
  readonly images: readonly (readonly [string, string])[];
  readonly dryRun: DryRun;
}

function validate(flags: ImageInvocation["flags"], { resources, images, dryRun }: Checked): void {
  const hasFiles = flags.filename.length > 0 || flags.kustomize !== "";
  const rules: (readonly [boolean, string])[] = [
    [flags.all && flags.selector !== "", "cannot set --all and --selector at the same time"],
    [
      resources.length === 0 && !hasFiles,
      "one or more resources must be specified as <resource> <name> or <resource>/<name>",
    ],
    [images.length === 0, "at least one image update is required"],
    [
      images.length > 1 && images.some(([name]) => name === "*"),
      "all containers are already specified by *, but saw more than one container_name=container_image pairs",
    ],
    [flags.local && dryRun === "server", localOnServer],
  ];
  const broken = rules.filter(([isBroken]) => isBroken).map(([, text]) => new CommandError(text));
  if (broken.length > 0) throw new Errors(broken);
}
