import { customResourceDefinitions } from "#/api/apiextensions/v1.ts";
import { type Service, services } from "#/api/core/v1.ts";
import { ingresses } from "#/api/networking/v1.ts";
import type { Client } from "#/client/client.ts";
import { Informers } from "#/client/informers/informers.ts";
import { gatewayClasses, gatewayGroup } from "./api/gateway-resources.ts";

/** The first custom resource that a user of the Gateway API needs. */
const gatewayApi = `${gatewayClasses.name}.${gatewayGroup}`;

/**
 * Resolves when there is an Ingress, the Gateway API, or a load balancer other than the gateway's own Service
 * (namespace/name): those have a name at localhost. Rejects when the signal aborts.
 */
export async function firstRoute(
  client: Client,
  ownService: string,
  signal: AbortSignal,
): Promise<void> {
  const found = Promise.withResolvers<void>();
  const stop = new AbortController();
  const abort = (): void => found.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    const informers = new Informers(client, AbortSignal.any([signal, stop.signal]));
    informers.informer(ingresses).subscribe({ added: () => found.resolve() });
    const selected = { fieldSelector: `metadata.name=${gatewayApi}`, metadataOnly: true };
    informers
      .informer(customResourceDefinitions, selected)
      .subscribe({ added: () => found.resolve() });
    const look = (service: Service): void => {
      if (hasRoute(service, ownService)) found.resolve();
    };
    informers.informer(services).subscribe({ added: look, updated: (_, now) => look(now) });
    await found.promise;
  } finally {
    signal.removeEventListener("abort", abort);
    stop.abort();
  }
}

const hasRoute = ({ metadata, spec }: Service, ownService: string): boolean =>
  spec.type === "LoadBalancer" && `${metadata.namespace}/${metadata.name}` !== ownService;
