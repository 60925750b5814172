import { kubernetesMinor } from "#/api/base/kubernetes-version.ts";
import { type Contribution, type Sent, sent } from "./group-version-document.ts";
import type { Json } from "./open-api.ts";
import { type Operation, pathItem } from "./operation.ts";
import { Definitions } from "./publish-schema.ts";
import { pathItemToV2, schemaToV2 } from "./to-v2.ts";

const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";
const kindTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The paths besides resources: discovery, version, keys. */
interface Fixed {
  readonly path: string;
  readonly tag: string;
  readonly id: string;
  readonly produces: readonly string[];
  readonly answer: string | undefined;
}

const fixed: readonly Fixed[] = [
  {
    path: "api",
    tag: "core",
    id: "getCoreAPIVersions",
    produces: kindTypes,
    answer: `${metaPackage}.APIVersions`,
  },
  {
    path: "apis",
    tag: "apis",
    id: "getAPIVersions",
    produces: kindTypes,
    answer: `${metaPackage}.APIGroupList`,
  },
  {
    path: "version",
    tag: "version",
    id: "getCodeVersion",
    produces: ["application/json"],
    answer: "io.k8s.apimachinery.pkg.version.Info",
  },
  {
    path: ".well-known/openid-configuration",
    tag: "WellKnown",
    id: "getServiceAccountIssuerOpenIDConfiguration",
    produces: ["application/json"],
    answer: undefined,
  },
  {
    path: "openid/v1/jwks",
    tag: "openid",
    id: "getServiceAccountIssuerOpenIDKeyset",
    produces: ["application/jwk-set+json"],
    answer: undefined,
  },
];

const versionFields = [
  ...["buildDate", "compiler", "gitCommit", "gitTreeState", "gitVersion", "goVersion", "major"],
  ...["minor", "platform"],
];
const optionalVersionFields = [
  ...["emulationMajor", "emulationMinor", "minCompatibilityMajor", "minCompatibilityMinor"],
];

/** The response of /version. */
const versionInfo: Json = {
  type: "object",
  required: [
    ...["major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion"],
    ...["compiler", "platform"],
  ],
  properties: Object.fromEntries(
    [
      ...versionFields.map((name) => [name, { type: "string", default: "" }] as const),
      ...optionalVersionFields.map((name) => [name, { type: "string" }] as const),
    ].sort(([a], [b]) => (a < b ? -1 : 1)),
  ),
};

/** A document that never changes. */
class FixedDocument {
  readonly #fixed: Fixed;

  constructor(one: Fixed) {
    this.#fixed = one;
  }

  get v3(): Sent {
    const definitions = new Definitions();
    const paths = { [`/${this.#fixed.path}/`]: pathItem([this.#operation(definitions)]) };
    const schemas = definitions.all;
    const document = {
      openapi: "3.0.0",
      info: { title: "Kubernetes", version: kubernetesMinor },
      paths,
      components: {
        ...(Object.keys(schemas).length > 0 ? { schemas } : {}),
        securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
      },
    };
    return sent(Buffer.from(JSON.stringify(document)));
  }

  get v2(): Contribution {
    const definitions = new Definitions();
    const item = pathItemToV2([this.#operation(definitions)]);
    const schemas = Object.entries(definitions.all);
    return {
      paths: new Map([[`/${this.#fixed.path}/`, JSON.stringify(item)]]),
      definitions: new Map(
        schemas.map(([name, schema]) => [name, JSON.stringify(schemaToV2(schema))]),
      ),
    };
  }

  #operation(definitions: Definitions): Operation {
    const { tag, id, produces, answer } = this.#fixed;
    if (answer?.endsWith(".version.Info")) definitions.put(answer, versionInfo);
    return {
      method: "get",
      tag,
      id,
      parameters: [],
      produces,
      codes: [200],
      answer: answer === undefined ? { type: "string" } : definitions.ref(answer),
    };
  }
}

/** By their path below /openapi/v3. */
export const fixedDocuments: ReadonlyMap<string, Pick<FixedDocument, "v2" | "v3">> = new Map(
  fixed.map((one) => [one.path, new FixedDocument(one)]),
);
