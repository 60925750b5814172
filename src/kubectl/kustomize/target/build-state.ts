/** Upstream: sigs.k8s.io/kustomize/kyaml/openapi/openapi.go. */
import { doing, KustomizeError } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import { builtInSchemas } from "../merge/built-in-schemas.ts";
import { customSchemas } from "../merge/custom-schemas.ts";
import type { SchemaSource } from "../merge/merge-schema.ts";
import type { HelmOptions } from "../plugins/plugin.ts";

/** The only version of Kubernetes' schemas that is built in. */
const builtInVersion = "v1.21.2";

/** The schemas for merging patches: those of the first kustomization that names some. */
export class BuildSchemas {
  current: SchemaSource = builtInSchemas;
  #isSet = false;
  #hasObjects = false;

  /** Set once objects were read: schemas that are named later are added to the built-in ones. */
  noteObjects(): void {
    this.#hasObjects = true;
  }

  use(
    openapi: Readonly<Record<string, string>> | undefined,
    loader: Loader,
    resets: boolean,
  ): void {
    const { path, version } = openapi ?? {};
    const bytes = path === undefined ? undefined : loader.load(path);
    if (this.#isSet && !resets) return;
    if (bytes) {
      if (version !== undefined) {
        throw new KustomizeError("builtin version and custom schema provided, cannot use both");
      }
      this.current = doing("invalid schema file", () => customSchemas(bytes, this.#hasObjects));
      this.#isSet = true;
    } else if (version) {
      if (version !== builtInVersion) {
        throw new KustomizeError("the specified OpenAPI version is not built in");
      }
      this.current = builtInSchemas;
      this.#isSet = true;
    }
  }
}

/** The shared state of all folders of a build. */
export interface BuildState {
  readonly warn: (text: string) => void;
  readonly helm: HelmOptions | undefined;
  readonly schemas: BuildSchemas;
  /** The build metadata that the root folder requests. */
  buildMetadata: readonly string[] | undefined;
}
