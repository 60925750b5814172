/** Upstream: pkg/volume/{configmap,secret,downwardapi}. */
import { normalize } from "node:path";
import type { ConfigMap, DownwardAPIVolumeFile, KeyToPath, Pod, Secret } from "#/api/core/v1.ts";
import { podField, type RuntimeFacts, resourceField } from "../environment/pod-field.ts";
import type { FileProjection } from "./atomic-writer.ts";

/** How the files of a volume are created. */
interface PayloadOptions {
  readonly items?: readonly KeyToPath[] | undefined;
  readonly defaultMode: number;
  readonly defaultUser?: number | undefined;
  readonly optional?: boolean | undefined;
}

/** The files of a configMap volume. */
export function configMapPayload(
  map: ConfigMap | undefined,
  options: PayloadOptions,
): Map<string, FileProjection> {
  const contents = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(map?.data ?? {})) contents.set(key, Buffer.from(text));
  for (const [key, text] of Object.entries(map?.binaryData ?? {})) {
    contents.set(key, Buffer.from(text, "base64"));
  }
  return payloadOf(contents, options, "configmap references non-existent config key");
}

/** The files of a secret volume. */
export function secretPayload(
  secret: Secret | undefined,
  options: PayloadOptions,
): Map<string, FileProjection> {
  const contents = new Map(
    Object.entries(secret?.data ?? {}).map(([key, text]) => [key, Buffer.from(text, "base64")]),
  );
  return payloadOf(contents, options, "references non-existent secret key");
}

function payloadOf(
  contents: ReadonlyMap<string, Uint8Array>,
  { items = [], defaultMode, defaultUser, optional }: PayloadOptions,
  missing: string,
): Map<string, FileProjection> {
  const payload = new Map<string, FileProjection>();
  if (items.length === 0) {
    for (const [key, data] of contents) {
      payload.set(key, { data, mode: defaultMode, user: defaultUser });
    }
  }
  for (const { key, path, mode = defaultMode, user = defaultUser } of items) {
    const data = contents.get(key);
    if (data === undefined && !optional) throw new Error(`${missing}: ${key}`);
    if (data !== undefined) payload.set(path, { data, mode, user });
  }
  return payload;
}

/** The files of a downward API volume. */
export function downwardPayload(
  items: readonly DownwardAPIVolumeFile[],
  pod: Pod,
  facts: RuntimeFacts,
  { defaultMode, defaultUser }: Pick<PayloadOptions, "defaultMode" | "defaultUser">,
): Map<string, FileProjection> {
  const payload = new Map<string, FileProjection>();
  for (const item of items) {
    const { path, mode = defaultMode, user = defaultUser, fieldRef, resourceFieldRef } = item;
    const text = fieldRef
      ? podField(pod, fieldRef, facts)
      : resourceFieldRef
        ? resourceField(pod, resourceFieldRef, facts)
        : "";
    payload.set(normalize(path), { data: Buffer.from(text), mode, user });
  }
  return payload;
}

/** The user of all containers of a pod, if it is the same for all. */
export function commonUser({ spec }: Pod): number | undefined {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const users = new Set(
    containers.map(
      ({ securityContext }) => securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
    ),
  );
  return users.size === 1 ? [...users][0] : undefined;
}
