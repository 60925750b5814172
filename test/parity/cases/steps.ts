import type { Step } from "../case.ts";

/** The target of a step: a path and a query. */
interface Options {
  /** Field manager; by default the server uses the user agent. */
  readonly manager?: string;
  readonly force?: boolean;
  readonly waitSeconds?: number;
  /** More parameters of the query: fieldValidation=Strict, dryRun=All. */
  readonly query?: string;
}

/** Creates an object; path is that of the collection. */
export const create = (path: string, body: unknown, options: Options = {}): Step =>
  step("POST", path, undefined, body, options);

/** Replaces an object. */
export const update = (path: string, body: unknown, options: Options = {}): Step =>
  step("PUT", path, undefined, body, options);

/** Server-side apply. */
export const apply = (path: string, body: unknown, options: Options = {}): Step =>
  step("PATCH", path, "application/apply-patch+yaml", body, options);

/** JSON Merge Patch. */
export const merge = (path: string, body: unknown, options: Options = {}): Step =>
  step("PATCH", path, "application/merge-patch+json", body, options);

/** JSON Patch. */
export const jsonPatch = (path: string, body: unknown, options: Options = {}): Step =>
  step("PATCH", path, "application/json-patch+json", body, options);

/** Strategic Merge Patch. */
export const strategic = (path: string, body: unknown, options: Options = {}): Step =>
  step("PATCH", path, "application/strategic-merge-patch+json", body, options);

/** Reads an object. */
export const read = (path: string): Step => ({ method: "GET", path });

function step(
  method: Step["method"],
  path: string,
  contentType: string | undefined,
  body: unknown,
  { manager, force, waitSeconds, query }: Options,
): Step {
  const parameters = [
    ...(manager === undefined ? [] : [`fieldManager=${encodeURIComponent(manager)}`]),
    ...(force === undefined ? [] : [`force=${force}`]),
    ...(query === undefined ? [] : [query]),
  ].join("&");
  return {
    method,
    path: parameters === "" ? path : `${path}?${parameters}`,
    ...(contentType === undefined ? {} : { headers: { "content-type": contentType } }),
    body,
    ...(waitSeconds === undefined ? {} : { waitSeconds }),
  };
}

/** Paths of the kinds of the cases, in the case's namespace. */
export const configMaps = "/api/v1/namespaces/{ns}/configmaps";
export const services = "/api/v1/namespaces/{ns}/services";
export const pods = "/api/v1/namespaces/{ns}/pods";
export const quotas = "/api/v1/namespaces/{ns}/resourcequotas";
export const claims = "/api/v1/namespaces/{ns}/persistentvolumeclaims";
export const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
export const autoscalersV1 = "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers";
export const autoscalersV2 = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers";
export const widgets = "/apis/parity.example.com/v1/namespaces/{ns}/widgets";
export const widgetsV2 = "/apis/parity.example.com/v2/namespaces/{ns}/widgets";
export const capacities = "/apis/storage.k8s.io/v1/namespaces/{ns}/csistoragecapacities";
