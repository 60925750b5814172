import { deployments, replicaSets, statefulSets } from "#/api/apps/v1.ts";
import { jobs } from "#/api/batch/v1.ts";
import { type Event, events, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { resourcePath } from "#/client/resource-path.ts";
import { type Journey, resourceText } from "#/machinery/journey/step.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { FanOut } from "./fan-out.ts";
import { fanOutOf } from "./fan-out-of-objects.ts";

/** What controllers make for others: of a server that records no journeys, the owner is in the object. */
const made = [deployments, statefulSets, replicaSets, jobs, pods];
/** Limit of the objects of a kind that are read (count), and of the events of the namespace. */
const maxObjects = 500;
const maxEvents = 5000;

/** Adds the objects that were made for one, with what they and their events contain. */
export async function readObjectsBelow(journey: Journey, client: Client): Promise<FanOut> {
  const { namespace = "", uid } = journey.of;
  if (namespace === "" || uid === undefined) return { journey, children: [] };
  const list = async <T>(resource: Parameters<typeof resourcePath>[0], limit: number) => {
    try {
      const path = resourcePath(resource, { namespace });
      const request = { method: "GET", path, query: { limit } };
      return (await client.request<{ readonly items?: readonly T[] }>(request)).items ?? [];
    } catch (error) {
      // A user may see some of them only.
      if (isStatusError(error, "Forbidden")) return [];
      throw error;
    }
  };
  const lists = await Promise.all(made.map((one) => list<Unstructured>(one, maxObjects)));
  const found = made.flatMap((one, index) =>
    (lists[index] ?? []).map((object) => ({ resource: resourceText(one), object })),
  );
  return fanOutOf(journey, found, await list<Event>(events, maxEvents));
}
