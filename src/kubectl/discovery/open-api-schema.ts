/** Upstream: k8s.io/kube-openapi/pkg/validation/spec. */

/** A schema in a document of either version of OpenAPI: the fields that kubectl needs. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly allOf?: readonly OpenApiSchema[];
  readonly enum?: readonly unknown[];
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly "x-kubernetes-group-version-kind"?: readonly OpenApiKind[];
}

/** A kind as extensions of OpenAPI name it. */
export interface OpenApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface OpenApiParameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
}

export interface OpenApiOperation {
  readonly parameters?: readonly OpenApiParameter[];
  readonly "x-kubernetes-group-version-kind"?: OpenApiKind;
}

/** The operations of a path, by method in lower case. */
export type OpenApiPath = Readonly<Record<string, OpenApiOperation | undefined>>;

/** The document of one version of a group. */
export interface OpenApiDocument {
  readonly paths?: Readonly<Record<string, OpenApiPath>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, OpenApiSchema>>;
    readonly parameters?: Readonly<Record<string, OpenApiParameter>>;
  };
}

/** The document of all groups, in version 2. */
export interface OpenApiV2Document {
  readonly paths?: Readonly<Record<string, OpenApiPath>>;
  readonly definitions?: Readonly<Record<string, OpenApiSchema>>;
  readonly parameters?: Readonly<Record<string, OpenApiParameter>>;
}

/** True if both name the same kind. */
export function isSameKind(a: OpenApiKind | undefined, b: OpenApiKind): boolean {
  return a !== undefined && a.group === b.group && a.version === b.version && a.kind === b.kind;
}
