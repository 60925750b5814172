/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import { services } from "#/api/core/v1.ts";
import type { Ingress, IngressBackend } from "#/api/networking/v1.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Context } from "../../../command/context.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { formatEndpoints, slicesOf } from "../parts/endpoints.ts";

const describeIngress: Describer = async (to, { object, context }) => {
  const { metadata, spec, status } = object as unknown as Ingress;
  const namespace = metadata?.namespace ?? "";
  const addresses = (status?.loadBalancer?.ingress ?? []).map(
    ({ ip, hostname }) => ip || hostname || "",
  );
  to.field(0, "Name", metadata?.name ?? "");
  to.labels("Labels", metadata?.labels);
  to.field(0, "Namespace", namespace);
  to.field(
    0,
    "Address",
    [...new Set(addresses.filter((address) => address !== ""))].sort().join(","),
  );
  to.field(0, "Ingress Class", spec?.ingressClassName ?? "<none>");
  const standard = spec?.defaultBackend
    ? await backendText(context, namespace, spec.defaultBackend)
    : "<default>";
  to.field(0, "Default backend", standard);
  if (spec?.tls?.length) to.write(0, "TLS:\n");
  for (const { secretName, hosts = [] } of spec?.tls ?? []) {
    to.write(1, `${secretName ? `${secretName} terminates` : "SNI routes"} ${hosts.join(",")}\n`);
  }
  to.write(0, "Rules:\n  Host\tPath\tBackends\n");
  to.write(1, "----\t----\t--------\n");
  const rules = (spec?.rules ?? []).filter(({ http }) => http);
  for (const { host, http } of rules) {
    to.write(1, `${host || "*"}\t\n`);
    for (const { path = "", backend } of http?.paths ?? []) {
      to.write(2, `\t${path} \t${await backendText(context, namespace, backend)}\n`);
    }
  }
  if (rules.length === 0) to.write(1, `*\t*\t${standard}\n`);
  to.annotations("Annotations", metadata?.annotations);
};

async function backendText(
  context: Context,
  namespace: string,
  backend: IngressBackend,
): Promise<string> {
  const { service, resource } = backend;
  if (!service) {
    if (!resource) return "";
    return `APIGroup: ${resource.apiGroup ?? "<none>"}, Kind: ${resource.kind}, Name: ${resource.name}`;
  }
  const { number = 0, name = "" } = service.port ?? {};
  const text = `${service.name}:${number === 0 ? name : number}`;
  try {
    const slices = await slicesOf(context, namespace, service.name);
    const client = await context.cluster.client();
    const { spec } = await client.get(services, { namespace, name: service.name });
    const port = spec?.ports?.findLast(
      (one) => (number !== 0 && number === one.port) || (name !== "" && name === one.name),
    );
    return `${text} (${formatEndpoints(slices, port?.name ?? "")})`;
  } catch (error) {
    return `${text} (<error: ${messageOf(error)}>)`;
  }
}

export const ingress: KindDescriber = { describe: describeIngress };
