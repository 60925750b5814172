/** Upstream: pkg/volume/projected/projected.go. */
import type {
  ConfigMap,
  Pod,
  ProjectedVolumeSource,
  Secret,
  VolumeProjection,
} from "#/api/core/v1.ts";
import type { RuntimeFacts } from "../environment/pod-field.ts";
import { orOptional } from "../state/or-optional.ts";
import type { FileProjection } from "./atomic-writer.ts";
import { commonUser, configMapPayload, downwardPayload, secretPayload } from "./payloads.ts";
import type { TokenSubject } from "./service-account-tokens.ts";

/** A key and its certificates, PEM. */
export interface CredentialBundle {
  readonly key: string;
  readonly certificates: string;
}

/** The sources of the content of files. */
export interface VolumeContents {
  getConfigMap(namespace: string, name: string): Promise<ConfigMap>;
  getSecret(namespace: string, name: string): Promise<Secret>;
  getToken(subject: TokenSubject): Promise<string>;
  /** PEM of the bundles that a projection selects. */
  getTrustAnchors(projection: NonNullable<VolumeProjection["clusterTrustBundle"]>): Promise<string>;
  /** Looked up by the volume and the source's index in it. */
  getPodCertificate(
    pod: Pod,
    volume: string,
    source: number,
    projection: NonNullable<VolumeProjection["podCertificate"]>,
  ): Promise<CredentialBundle>;
  /** Fields of this pod, for downward API files. */
  facts(pod: Pod): RuntimeFacts;
}

type Files = Map<string, FileProjection>;

/** All files of a projected volume; the failures of all its sources are one error. */
export async function projectedPayload(
  { sources = [], defaultMode = 0o644, defaultUser }: ProjectedVolumeSource,
  pod: Pod,
  volume: string,
  from: VolumeContents,
): Promise<Files> {
  const files: Files = new Map();
  const failures: string[] = [];
  const context = { pod, volume, from, defaultMode, defaultUser };
  const results = await Promise.allSettled(
    sources.map((source, at) => sourceFiles(source, { ...context, at })),
  );
  for (const result of results) {
    if (result.status === "rejected") failures.push((result.reason as Error).message);
    else for (const [path, file] of result.value) files.set(path, file);
  }
  const [first, ...others] = new Set(failures);
  if (first !== undefined) {
    throw new Error(others.length === 0 ? first : `[${[first, ...others].join(", ")}]`);
  }
  return files;
}

interface SourceContext {
  readonly pod: Pod;
  readonly volume: string;
  readonly at: number;
  readonly from: VolumeContents;
  readonly defaultMode: number;
  readonly defaultUser: number | undefined;
}

/** The files of each kind of projection. */
const projections: {
  readonly [Name in keyof VolumeProjection]-?: (
    projection: NonNullable<VolumeProjection[Name]>,
    context: SourceContext,
  ) => Promise<Files>;
} = {
  async configMap({ name = "", optional, items }, context) {
    const { pod, from } = context;
    const found = from.getConfigMap(pod.metadata.namespace ?? "", name);
    return configMapPayload(await orOptional(found, optional), { ...context, items, optional });
  },
  async secret({ name = "", optional, items }, context) {
    const { pod, from } = context;
    const found = from.getSecret(pod.metadata.namespace ?? "", name);
    return secretPayload(await orOptional(found, optional), { ...context, items, optional });
  },
  downwardAPI: async ({ items = [] }, context) =>
    downwardPayload(items, context.pod, context.from.facts(context.pod), context),
  serviceAccountToken: tokenFile,
  async clusterTrustBundle(projection, context) {
    const text = await context.from.getTrustAnchors(projection);
    return new Map([[projection.path, credentialFile(text, context, projection.user)]]);
  },
  podCertificate: certificateFiles,
};

/** The files of a source, which has one projection. */
async function sourceFiles(source: VolumeProjection, context: SourceContext): Promise<Files> {
  for (const [name, files] of Object.entries(projections)) {
    const projection = source[name as keyof VolumeProjection];
    // The table has the type of each entry; a loop over it loses them.
    if (projection) return (files as Projection)(projection, context);
  }
  return new Map();
}

type Projection = (projection: object, context: SourceContext) => Promise<Files>;

async function tokenFile(
  { audience, expirationSeconds, path, user }: NonNullable<VolumeProjection["serviceAccountToken"]>,
  context: SourceContext,
): Promise<Files> {
  const { metadata, spec } = context.pod;
  const token = await context.from.getToken({
    namespace: metadata.namespace ?? "",
    serviceAccount: spec.serviceAccountName || "default",
    podName: metadata.name ?? "",
    podUID: metadata.uid ?? "",
    audience,
    expirationSeconds,
  });
  return new Map([[path, credentialFile(token, context, user)]]);
}

async function certificateFiles(
  projection: NonNullable<VolumeProjection["podCertificate"]>,
  context: SourceContext,
): Promise<Files> {
  const { pod, volume, at, from } = context;
  const { key, certificates } = await from.getPodCertificate(pod, volume, at, projection);
  const files: Files = new Map();
  const put = (path: string | undefined, text: string) => {
    if (path) files.set(path, credentialFile(text, context, projection.user));
  };
  put(projection.credentialBundlePath, key + certificates);
  put(projection.keyPath, key);
  put(projection.certificateChainPath, certificates);
  return files;
}

/** Only the pod's own user, or its group, may read a credential. */
function credentialFile(text: string, context: SourceContext, own?: number): FileProjection {
  const { pod, defaultMode, defaultUser } = context;
  const user = own ?? defaultUser ?? commonUser(pod);
  const guarded = user !== undefined || pod.spec.securityContext?.fsGroup !== undefined;
  return { data: Buffer.from(text), mode: guarded ? 0o600 : defaultMode, user };
}
