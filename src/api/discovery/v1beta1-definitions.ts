import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type AddressType = "FQDN" | "IPv4" | "IPv6";

export interface Endpoint {
  addresses: string[];
  conditions?: EndpointConditions;
  hostname?: string;
  targetRef?: coreV1.ObjectReference;
  topology?: Record<string, string>;
  nodeName?: string;
  hints?: EndpointHints;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forZones?: ForZone[];
  forNodes?: ForNode[];
}

export interface EndpointPort {
  name?: string;
  protocol?: coreV1.Protocol;
  port?: number;
  appProtocol?: string;
}

export interface EndpointSlice extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  addressType: AddressType;
  endpoints: Endpoint[];
  ports?: EndpointPort[];
}

export interface EndpointSliceList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: EndpointSlice[];
}

export interface ForNode {
  name: string;
}

export interface ForZone {
  name: string;
}
