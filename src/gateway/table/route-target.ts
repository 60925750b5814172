/** A Service's port, by number or name. */
export interface BackendRef {
  readonly namespace: string;
  readonly service: string;
  readonly port: number | string;
}

/** The result of a rule of a route, for a request that it matches. */
export interface RouteTarget {
  readonly kind: "route";
  /** One is chosen by weight. Empty: the rule has none. */
  readonly backends: readonly WeightedBackend[];
  readonly filters: RouteFilters;
  /** Limit of the time for the whole request (ms); undefined for none. */
  readonly requestMs?: number | undefined;
  /** Limit of the time for the backend's response (ms); undefined for the gateway's own. */
  readonly backendMs?: number | undefined;
  /** Whether a backend that can't be reached is answered as gRPC's clients expect. */
  readonly isGrpc?: boolean;
}

export interface WeightedBackend {
  readonly weight: number;
  /** Undefined if it can't be resolved: requests for it fail. */
  readonly ref: BackendRef | undefined;
  /** Whether it speaks HTTP/2 without TLS, whatever its Service says. */
  readonly isHttp2?: boolean;
  readonly filters?: RouteFilters | undefined;
}

/** Changes of headers; names are in lower case. */
export interface HeaderChanges {
  readonly set: readonly (readonly [name: string, value: string])[];
  readonly add: readonly (readonly [name: string, value: string])[];
  readonly remove: readonly string[];
}

/** Another path: as a whole, or what it begins with. */
export type PathChange =
  | { readonly kind: "full"; readonly path: string }
  | { readonly kind: "prefix"; readonly matched: string; readonly path: string };

export interface Redirect {
  readonly status: number;
  readonly scheme?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: PathChange | undefined;
}

export interface Cors {
  /** Origins, which may begin with a scheme and a wildcard; "*" is any. */
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposed: readonly string[];
  readonly allowsCredentials: boolean;
  readonly maxAgeSeconds: number;
}

export interface Mirror {
  readonly ref: BackendRef;
  /** The part of requests that is mirrored, from 0 to 1. */
  readonly part: number;
}

/** What happens to a request on its way to a backend, and to the response. */
export interface RouteFilters {
  readonly request?: HeaderChanges;
  readonly response?: HeaderChanges;
  readonly host?: string | undefined;
  readonly path?: PathChange | undefined;
  readonly redirect?: Redirect;
  readonly cors?: Cors;
  readonly mirrors?: readonly Mirror[];
}
