/** Upstream: sigs.k8s.io/gateway-api/apis/v1: the fields that a gateway reads and writes. */
import type { Condition, LabelSelector, ObjectMeta } from "#/api/meta/v1.ts";

interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** A reference to an object of a namespace; without one, of that of the referrer. */
export interface ObjectReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface GatewayClass extends ApiObject {
  readonly spec: {
    readonly controllerName: string;
    readonly parametersRef?: ObjectReference;
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly supportedFeatures?: readonly { readonly name: string }[];
  };
}

export interface GatewayListener {
  readonly name: string;
  readonly hostname?: string;
  readonly port: number;
  readonly protocol: string;
  readonly tls?: {
    readonly mode?: "Terminate" | "Passthrough";
    readonly certificateRefs?: readonly ObjectReference[];
    readonly options?: Readonly<Record<string, string>>;
  };
  readonly allowedRoutes?: {
    readonly namespaces?: AllowedNamespaces;
    readonly kinds?: readonly { readonly group?: string; readonly kind: string }[];
  };
}

export interface GatewayAddress {
  readonly type?: string;
  readonly value?: string;
}

export interface ListenerStatus {
  readonly name: string;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly attachedRoutes: number;
  readonly conditions: readonly Condition[];
}

/** The namespaces whose objects may attach. */
export interface AllowedNamespaces {
  readonly from?: "All" | "Same" | "Selector" | "None";
  readonly selector?: LabelSelector;
}

export interface Gateway extends ApiObject {
  readonly spec: {
    readonly gatewayClassName: string;
    readonly listeners?: readonly GatewayListener[];
    readonly allowedListeners?: { readonly namespaces?: AllowedNamespaces };
    readonly addresses?: readonly GatewayAddress[];
    readonly infrastructure?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
      readonly parametersRef?: ObjectReference;
    };
  };
  readonly status?: {
    readonly addresses?: readonly GatewayAddress[];
    readonly conditions?: readonly Condition[];
    readonly listeners?: readonly ListenerStatus[];
    readonly attachedListenerSets?: number;
  };
}

/** More listeners for a gateway. */
export interface ListenerSet extends ApiObject {
  readonly spec: {
    readonly parentRef: ObjectReference;
    readonly listeners?: readonly GatewayListener[];
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly listeners?: readonly ListenerStatus[];
  };
}

export interface ParentReference extends ObjectReference {
  readonly sectionName?: string;
  readonly port?: number;
}

export interface RouteBackendRef extends ObjectReference {
  readonly port?: number;
  readonly weight?: number;
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

export interface HeaderFilter {
  readonly set?: readonly NamedValue[];
  readonly add?: readonly NamedValue[];
  readonly remove?: readonly string[];
}

export interface PathModifier {
  readonly type: "ReplaceFullPath" | "ReplacePrefixMatch";
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
}

interface CorsFilter {
  readonly allowOrigins?: readonly string[];
  readonly allowCredentials?: boolean;
  readonly allowMethods?: readonly string[];
  readonly allowHeaders?: readonly string[];
  readonly exposeHeaders?: readonly string[];
  readonly maxAge?: number;
}

export interface RedirectFilter {
  readonly scheme?: string;
  readonly hostname?: string;
  readonly path?: PathModifier;
  readonly port?: number;
  readonly statusCode?: number;
}

export interface MirrorFilter {
  readonly backendRef: RouteBackendRef;
  readonly percent?: number;
  readonly fraction?: { readonly numerator: number; readonly denominator?: number };
}

export interface RouteFilter {
  readonly type: string;
  readonly requestHeaderModifier?: HeaderFilter;
  readonly responseHeaderModifier?: HeaderFilter;
  readonly requestMirror?: MirrorFilter;
  readonly requestRedirect?: RedirectFilter;
  readonly urlRewrite?: { readonly hostname?: string; readonly path?: PathModifier };
  readonly cors?: CorsFilter;
  readonly extensionRef?: ObjectReference;
}

export interface FilteredBackendRef extends RouteBackendRef {
  readonly filters?: readonly RouteFilter[];
}

/** A header or a query parameter with its value. */
export interface ValueMatch extends NamedValue {
  readonly type?: "Exact" | "RegularExpression";
}

export interface HttpRouteMatch {
  readonly path?: { readonly type?: string; readonly value?: string };
  readonly headers?: readonly ValueMatch[];
  readonly queryParams?: readonly ValueMatch[];
  readonly method?: string;
}

export interface HttpRouteRule {
  readonly name?: string;
  readonly matches?: readonly HttpRouteMatch[];
  readonly filters?: readonly RouteFilter[];
  readonly backendRefs?: readonly FilteredBackendRef[];
  readonly timeouts?: { readonly request?: string; readonly backendRequest?: string };
}

export interface GrpcRouteRule {
  readonly name?: string;
  readonly matches?: readonly {
    readonly method?: {
      readonly type?: "Exact" | "RegularExpression";
      readonly service?: string;
      readonly method?: string;
    };
    readonly headers?: readonly ValueMatch[];
  }[];
  readonly filters?: readonly RouteFilter[];
  readonly backendRefs?: readonly FilteredBackendRef[];
}

export interface TlsRouteRule {
  readonly name?: string;
  readonly backendRefs?: readonly RouteBackendRef[];
}

export interface RouteParentStatus {
  readonly parentRef: ParentReference;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

/** A route of any kind. */
export interface Route<Rule = unknown> extends ApiObject {
  readonly spec: {
    readonly parentRefs?: readonly ParentReference[];
    readonly hostnames?: readonly string[];
    readonly rules?: readonly Rule[];
  };
  readonly status?: { readonly parents?: readonly RouteParentStatus[] };
}

export type HttpRoute = Route<HttpRouteRule>;
export type GrpcRoute = Route<GrpcRouteRule>;
export type TlsRoute = Route<TlsRouteRule>;

export interface ReferenceGrant extends ApiObject {
  readonly spec: {
    readonly from: readonly {
      readonly group: string;
      readonly kind: string;
      readonly namespace: string;
    }[];
    readonly to: readonly {
      readonly group: string;
      readonly kind: string;
      readonly name?: string;
    }[];
  };
}

/** How a gateway connects to a Service by TLS. */
export interface BackendTlsPolicy extends ApiObject {
  readonly spec: {
    readonly targetRefs: readonly (ObjectReference & { readonly sectionName?: string })[];
    readonly validation: {
      readonly caCertificateRefs?: readonly ObjectReference[];
      readonly wellKnownCACertificates?: string;
      readonly hostname: string;
      readonly subjectAltNames?: readonly {
        readonly type: string;
        readonly hostname?: string;
        readonly uri?: string;
      }[];
    };
  };
  readonly status?: { readonly ancestors?: readonly PolicyAncestorStatus[] };
}

export interface PolicyAncestorStatus {
  readonly ancestorRef: ParentReference;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}
