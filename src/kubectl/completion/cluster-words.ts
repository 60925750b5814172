/** Upstream: staging/src/k8s.io/kubectl/pkg/util/completion/completion.go. */
import type { Pod, Service } from "#/api/core/v1.ts";
import { isList, type Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import { preferredResources } from "../discovery/preferred-resources.ts";
import type { BuilderOptions, ResourceBuilder } from "../resource/builder.ts";

/** Only names of objects are needed. */
const namesOnly = {
  accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
};

/** Timeout (ms) of the search for a Pod of an object. */
const podTimeoutMs = 100;

/** The result, or nothing on failure: completion never fails. */
async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

/** Loaded for objects, not for types. */
async function openBuilder(context: Context, options: BuilderOptions): Promise<ResourceBuilder> {
  const module = await import("../resource/builder.ts");
  return new module.ResourceBuilder(context, options);
}

/** The objects of a type, or of several with commas between them, in the namespace. */
export async function objectsOf(
  type: string,
  context: Context,
  inNamespace?: string,
): Promise<Unstructured[]> {
  const infos = await orNothing(async () => {
    const builder = await openBuilder(context, {
      args: [type],
      namespace: inNamespace ?? (await context.cluster.namespace()).namespace,
      allowEmptySelector: true,
      continueOnError: true,
      chunkSize: 500,
      headers: namesOnly,
    });
    return (await builder.tryInfos()).infos;
  });
  return (infos ?? []).flatMap(({ object }) => (isList(object) ? object.items : []));
}

/** The names of the objects of a type. */
export async function namesOf(type: string, context: Context): Promise<string[]> {
  return (await objectsOf(type, context)).map(({ metadata }) => metadata?.name ?? "");
}

/** The types of resources that can be read, as arguments. */
export async function resourceTypes(context: Context): Promise<string[]> {
  const found = await orNothing(async () =>
    preferredResources(await (await context.cluster.discovery()).groups()),
  );
  return (found ?? [])
    .filter(({ verbs }) => verbs.includes("get"))
    .map(({ name, group }) => (group === "" ? name : `${name}.${group}`));
}

/** An object, by TYPE/NAME or by the name of a Pod. */
async function objectNamed(
  type: string,
  name: string,
  context: Context,
): Promise<Unstructured | undefined> {
  return orNothing(async () => {
    const { namespace } = await context.cluster.namespace();
    const resourceNames = { type, names: [name] };
    const builder = await openBuilder(context, { namespace, resourceNames });
    const [info] = await builder.infos();
    return info?.object;
  });
}

/** The Pod that an argument of logs or exec names. */
async function podFor(argument: string, context: Context): Promise<Pod | undefined> {
  const object = await objectNamed("pods", argument, context);
  if (!object) return undefined;
  const { attachablePod } = await import("../actions/exec-in-pod.ts");
  return orNothing(() => attachablePod(context, object, podTimeoutMs));
}

/** The names of the containers of the Pod that an argument names. */
export async function containersOf(argument: string, context: Context): Promise<string[]> {
  const { spec } = (await podFor(argument, context)) ?? {};
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name);
}

/** The ports of the Pod that an argument names. */
export async function podPorts(argument: string, context: Context): Promise<number[]> {
  const { spec } = (await podFor(argument, context)) ?? {};
  return (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.map(({ containerPort }) => containerPort),
  );
}

/** The ports of a Service. */
export async function servicePorts(name: string, context: Context): Promise<number[]> {
  const { spec } = ((await objectNamed("services", name, context)) ?? {}) as Partial<Service>;
  return (spec?.ports ?? []).map(({ port }) => port);
}

/** The names of the contexts, clusters or users of the kubeconfig. */
export async function kubeconfigNames(
  list: "contexts" | "clusters" | "users",
  context: Context,
): Promise<string[]> {
  const loaded = await orNothing(() => context.cluster.kubeconfig());
  return (loaded?.config[list] ?? []).map(({ name }) => name).sort();
}
