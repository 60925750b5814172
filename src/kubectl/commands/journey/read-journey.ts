import { readFile } from "node:fs/promises";
import type { Event } from "#/api/core/v1.ts";
import { resourcePath } from "#/client/resource-path.ts";
import { clusterJourneys, journeys } from "#/machinery/journey/handles.ts";
import { type Journey, resourceText, type Step } from "#/machinery/journey/step.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { stepsFromAudit } from "./journey-from-audit.ts";
import { journeyFromObject, withAudit } from "./journey-from-object.ts";

/** A journey, and where it is from. */
export interface FoundJourney {
  readonly journey: Journey;
  /** "objects" if the server records no journeys: then it is what conditions, events and managedFields contain. */
  readonly source: "journeys" | "objects";
}

/** The objects of a command line, as TYPE NAME or TYPE/NAME; they need not exist any more. */
export async function namedObjects(
  args: readonly string[],
  context: Context,
): Promise<readonly ResourceInfo[]> {
  const { namespace } = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    args,
    namespace,
    defaultNamespace: true,
    requireObject: false,
    continueOnError: true,
  });
  return builder.infos();
}

/** Whether the server serves journeys, which only ours does. */
export async function servesJourneys(context: Context): Promise<boolean> {
  const client = await context.cluster.client();
  try {
    await client.request({ method: "GET", path: `/apis/${journeys.group}/${journeys.version}` });
    return true;
  } catch (error) {
    if (isStatusError(error) && error.code === 404) return false;
    throw error;
  }
}

/** The path and query of an object's journey. */
function journeyRequest(info: ResourceInfo, uid = "") {
  const { mapping, namespace, name } = info;
  const handle = mapping.namespaced ? journeys : clusterJourneys;
  const query = { resource: resourceText(mapping), ...(uid === "" ? {} : { uid }) };
  return { path: resourcePath(handle, { namespace, name }), query };
}

/** The recorded journey of an object, or what the object itself contains. */
export async function readJourney(
  info: ResourceInfo,
  context: Context,
  { isServed, uid, auditLogs = [] }: ReadOptions,
): Promise<FoundJourney> {
  const fromObject = async (): Promise<FoundJourney> => ({
    journey: await journeyOfObject(info, context, auditLogs),
    source: "objects",
  });
  if (!isServed) return fromObject();
  const client = await context.cluster.client();
  const request = { method: "GET", ...journeyRequest(info, uid) };
  try {
    return { journey: await client.request<Journey>(request), source: "journeys" };
  } catch (error) {
    if (!isStatusError(error, "NotFound")) throw error;
    // It was made before journeys were recorded, or its journey was dropped.
    return fromObject();
  }
}

interface ReadOptions {
  readonly isServed: boolean;
  readonly uid?: string;
  /** Files of the server's audit log, for servers that record no journeys. */
  readonly auditLogs?: readonly string[];
}

/** What the object, its events and audit logs contain. An object that is gone is in audit logs only. */
async function journeyOfObject(
  info: ResourceInfo,
  context: Context,
  auditLogs: readonly string[],
): Promise<Journey> {
  const found = await info.get().catch((error: unknown) => {
    if (auditLogs.length > 0 && isStatusError(error, "NotFound")) return undefined;
    throw error;
  });
  const { name, namespace } = info;
  const object = found ?? { metadata: { name, ...(namespace === "" ? {} : { namespace }) } };
  const events = found ? await eventsOf(info, found, context) : [];
  const journey = journeyFromObject(resourceText(info.mapping), object, events);
  const audited: Step[] = [];
  for (const file of auditLogs) {
    audited.push(...stepsFromAudit(await readFile(context.path(file)), journey.of));
  }
  return withAudit(journey, audited);
}

async function eventsOf(
  info: ResourceInfo,
  object: Unstructured,
  context: Context,
): Promise<readonly Event[]> {
  const client = await context.cluster.client();
  const uid = String(object.metadata?.uid ?? "");
  const events = await client.request<{ readonly items?: readonly Event[] }>({
    method: "GET",
    path: `/api/v1/namespaces/${encodeURIComponent(info.namespace || "default")}/events`,
    query: { fieldSelector: `involvedObject.uid=${uid}`, limit: maxEvents },
  });
  return events.items ?? [];
}

/** Limit of the events of an object that are read (count). */
const maxEvents = 500;
