import { resourcePath } from "#/client/resource-path.ts";
import { clusterJourneys, journeys } from "#/machinery/journey/handles.ts";
import { heldUp } from "#/machinery/journey/held-up.ts";
import { type Journey, resourceText } from "#/machinery/journey/step.ts";
import type { Diagnosis, Subject } from "./base/finding.ts";
import type { Answer } from "./read/snapshot.ts";

/**
 * Adds what the journey of the object that is stuck says to the evidence of the first finding: in which layer it is held
 * up, and since when. Servers other than ours have no journeys: then nothing is added.
 */
export async function withJourney(
  diagnosis: Diagnosis,
  read: (path: string) => Promise<Answer | undefined>,
): Promise<Diagnosis> {
  const [first, ...others] = diagnosis.findings;
  if (diagnosis.state !== "stuck" || !first) return diagnosis;
  const answer = await read(journeyPath(first.about));
  const journey = answer?.state === "found" ? (answer.value as Partial<Journey>) : undefined;
  const held = journey?.steps && heldUp({ steps: journey.steps });
  if (!held) return diagnosis;
  const line = `journey: at ${held.layer} since ${held.since}: ${held.sentence}`;
  return { ...diagnosis, findings: [{ ...first, evidence: [...first.evidence, line] }, ...others] };
}

function journeyPath({ group, resource, namespace, name }: Subject): string {
  const handle = namespace === undefined ? clusterJourneys : journeys;
  const query = new URLSearchParams({ resource: resourceText({ group, name: resource }) });
  return `${resourcePath(handle, { namespace, name })}?${query}`;
}
