import { createHash } from "node:crypto";
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "#/api/apiextensions/v1.ts";
import type { Client } from "#/client/client.ts";
import { isAlreadyExists, isNotFound } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import { customDefinitions } from "../base/custom-definitions.ts";
import { driverName } from "../base/names.ts";
import { volumeSnapshotClasses } from "../base/snapshot-objects.ts";

const log = logger("local-storage");
/** How often a new definition is read until it is served (ms). */
const pollMs = 50;
/** Marks definitions of ours, and whether they are current: the API server works long on each new one. */
const digestKey = `${driverName}/digest`;

/**
 * Creates the custom resources, and resolves when they are served. Definitions that others have created are left alone:
 * they may be newer.
 */
export async function installDefinitions(
  client: Client,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (const definition of customDefinitions) await install(client, definition);
  const served = new AbortController();
  const look = async (): Promise<void> => {
    const { items } = await client.list(customResourceDefinitions);
    const names = new Set(items.filter(isServed).map(({ metadata }) => metadata.name));
    if (customDefinitions.every(({ metadata }) => names.has(metadata.name))) served.abort();
  };
  const failed = (error: unknown) => log.error(error, "failed to read custom resources");
  const either = AbortSignal.any([signal, served.signal]);
  await repeat(look, { clock, everyMs: pollMs, failed }, either);
  signal.throwIfAborted();
  await createSnapshotClass(client);
}

async function install(client: Client, definition: CustomResourceDefinition): Promise<void> {
  const ref = { name: definition.metadata.name ?? "" };
  const digest = createHash("sha256").update(JSON.stringify(definition)).digest("hex");
  try {
    const { metadata } = await client.get(customResourceDefinitions, ref);
    const found = metadata.annotations?.[digestKey];
    if (found === undefined) log.v(2, "left definition of others alone", { definition: ref.name });
    if (found === undefined || found === digest) return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const options = { type: "apply", fieldManager: "local-storage", force: true } as const;
  const annotations = { ...definition.metadata.annotations, [digestKey]: digest };
  const marked = { ...definition, metadata: { ...definition.metadata, annotations } };
  await client.patch(customResourceDefinitions, ref, marked, options);
}

const isServed = ({ status }: CustomResourceDefinition): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True") ??
  false;

/** The default class of snapshots. One that was changed stays as it is. */
async function createSnapshotClass(client: Client): Promise<void> {
  const ref = { name: "local" };
  // To refuse to create it again, the API server would compile its schema.
  if (await exists(client, ref)) return;
  try {
    await client.create(volumeSnapshotClasses, {
      apiVersion: "snapshot.storage.k8s.io/v1",
      kind: "VolumeSnapshotClass",
      metadata: {
        ...ref,
        annotations: { "snapshot.storage.kubernetes.io/is-default-class": "true" },
      },
      driver: driverName,
      deletionPolicy: "Delete",
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

async function exists(client: Client, ref: { readonly name: string }): Promise<boolean> {
  try {
    await client.get(volumeSnapshotClasses, ref);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
