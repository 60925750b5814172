import { resourcePath } from "#/client/resource-path.ts";
import { clusterJourneys, journeys } from "#/machinery/journey/handles.ts";
import { type Journey, resourceText, type Step } from "#/machinery/journey/step.ts";
import { escapeFieldValue } from "#/machinery/meta/fields.ts";
import { parseMicroTime } from "#/machinery/time/time.ts";
import type { Context } from "../../command/context.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { stepLine } from "./full.ts";

/** Prints each step of an object once, as it is reported, until the user interrupts. */
export async function watchJourney(info: ResourceInfo, { cluster, out }: Context): Promise<void> {
  const { mapping, namespace, name } = info;
  const transport = await cluster.transport();
  const events = transport.watch({
    method: "GET",
    path: resourcePath(mapping.namespaced ? journeys : clusterJourneys, { namespace }),
    query: {
      watch: true,
      resource: resourceText(mapping),
      fieldSelector: `metadata.name=${escapeFieldValue(name)}`,
    },
  });
  const printed = new Set<string>();
  let startMs: number | undefined;
  for await (const { object } of events) {
    for (const step of (object as Journey).steps) {
      startMs ??= parseMicroTime(step.from);
      const key = keyOf(step);
      if (printed.has(key)) continue;
      printed.add(key);
      out.write(`${stepLine(step, startMs)}\n`);
    }
  }
}

/** A step that lasts is printed again when it has ended. */
const keyOf = ({ layer, name, from, to = "", attempt = 1, by = "" }: Step): string =>
  [layer, name, from, to, attempt, by].join(" ");
