import type { APIService } from "#/api/apiregistration/v1.ts";
import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";

/** The Service's name and namespace, which are upstream's, so that a user's own metrics-server takes its place. */
export const serviceName = "metrics-server";
export const namespace = "kube-system";
export const apiServiceName = "v1beta1.metrics.k8s.io";

const ownLabels = { "app.kubernetes.io/managed-by": "k8ts", "k8s-app": serviceName };
/** The writer of the EndpointSlice. */
const sliceWriter = "metrics-server.k8ts";

/** Where the API is served. */
export interface ServingPlace {
  readonly address: string;
  readonly port: number;
  readonly isReady: boolean;
  /** PEM of the CA certificates of the server. */
  readonly authority: string;
}

/** The objects by which the API server's aggregator finds the API. */
export interface Registration {
  readonly service: Service;
  readonly slice: EndpointSlice;
  readonly apiService: APIService;
}

/** The registration of the API; pure. */
export function planRegistration(place: ServingPlace): Registration {
  const metadata = { name: serviceName, namespace, labels: ownLabels };
  return {
    service: {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        ports: [
          {
            name: "https",
            port: 443,
            protocol: "TCP",
            targetPort: place.port,
            appProtocol: "https",
          },
        ],
      },
    },
    slice: planSlice(place),
    apiService: {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: apiServiceName, labels: ownLabels },
      spec: {
        group: "metrics.k8s.io",
        version: "v1beta1",
        service: { namespace, name: serviceName, port: 443 },
        caBundle: Buffer.from(place.authority).toString("base64"),
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
  };
}

function planSlice({ address, port, isReady }: ServingPlace): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${serviceName}-k8ts`,
      namespace,
      labels: {
        ...ownLabels,
        "kubernetes.io/service-name": serviceName,
        "endpointslice.kubernetes.io/managed-by": sliceWriter,
      },
    },
    addressType: address.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: isReady } }],
    ports: [{ name: "https", port, protocol: "TCP", appProtocol: "https" }],
  };
}

/** Whether the found objects are not of another metrics server, which is then left alone. */
export function isOwn(service: Service | undefined, apiService: APIService | undefined): boolean {
  const isLabelled = ({ metadata }: Service | APIService): boolean =>
    metadata.labels?.["app.kubernetes.io/managed-by"] === "k8ts";
  const hasOwnPods = service !== undefined && Object.keys(service.spec.selector ?? {}).length > 0;
  const target = apiService?.spec.service;
  const isElsewhere =
    apiService !== undefined && (target?.name !== serviceName || target.namespace !== namespace);
  return (
    !hasOwnPods && !isElsewhere && [service, apiService].every((one) => !one || isLabelled(one))
  );
}
