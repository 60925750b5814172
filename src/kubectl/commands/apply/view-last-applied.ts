/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply_view_last_applied.go. */
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, usageError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { originalConfiguration } from "../../command/last-applied.ts";
import { filenameFlags, selectorFlag } from "../../command/shared-flags.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import { fileOptions } from "../../resource/resource-arguments.ts";

const flags = {
  ...filenameFlags,
  ...selectorFlag,
  output: {
    type: "string",
    shorthand: "o",
    default: "yaml",
    help: "Output format. Must be one of (yaml, json)",
  },
  all: { type: "bool", help: "Show all objects of the given types in the namespace" },
} satisfies FlagSet;

type ViewInvocation = Invocation<typeof flags>;

/** `kubectl apply view-last-applied`. */
export const viewLastApplied = command({
  usage: "view-last-applied (TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
  flags,
  completes: { of: "resources" },
  run,
});

async function run({ flags, args }: ViewInvocation, context: Context): Promise<void> {
  const chosen = await context.cluster.namespace();
  const { explicit } = chosen;
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    args,
    allowEmptySelector: explicit,
    all: flags.all,
    selector: flags.selector,
    latest: true,
    flatten: true,
  });
  const found: string[] = [];
  await builder.visit((info) => {
    const text = originalConfiguration(info.object ?? {});
    if (text !== undefined) found.push(text);
    else if (info.source !== "") {
      throw new CommandError(
        `error when no last-applied-configuration annotation found on resource: ${info.name}\n ${JSON.stringify(info.source)}: <nil>`,
      );
    }
  });
  for (const text of found) context.out.write(formatted(text, flags.output, context));
}

function formatted(text: string, format: string, context: Context): string {
  const value: unknown = JSON.parse(text);
  if (format === "json") return `${goJson(value, "  ")}${text.endsWith("\n") ? "\n" : ""}`;
  if (format === "yaml") return writeYaml(value);
  throw usageError(
    context,
    `Unexpected -o output mode: ${format}, the flag 'output' must be one of yaml|json`,
  );
}
