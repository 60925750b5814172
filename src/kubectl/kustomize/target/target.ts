/** Upstream: sigs.k8s.io/kustomize/api/internal/target/kusttarget.go. */
import { join } from "node:path";
import { goQuote } from "#/std/go/go-quote.ts";
import { messageOf } from "../../base/errors.ts";
import { loadCrdConfig } from "../config/crd-config.ts";
import { loadTransformerConfig } from "../config/transformer-config.ts";
import { doing, KustomizeError, within } from "../failure/kustomize-error.ts";
import { type Loader, RemoteError } from "../files/loader.ts";
import { parseRepoUrl } from "../files/repo-url.ts";
import { readFileResources } from "../filters/read-file-resources.ts";
import type { Kustomization } from "../kustomization/kustomization.ts";
import { loadKustomization } from "../kustomization/load-kustomization.ts";
import type { PluginHelpers } from "../plugins/plugin.ts";
import { originAnnotation } from "../resource/build-annotations.ts";
import { type Origin, originBelow, originText, setOrigin } from "../resource/origin.ts";
import { readResources } from "../resource/read-resources.ts";
import type { Resource } from "../resource/resource.ts";
import { ResourceMap } from "../resource/resource-map.ts";
import { Accumulator } from "./accumulator.ts";
import type { BuildState } from "./build-state.ts";
import { runGenerators, runTransformers, runValidators } from "./run-plugins.ts";
import { varText } from "./var-text.ts";

/** One folder of a build. */
export class Target {
  readonly loader: Loader;
  readonly kustomization: Kustomization;
  readonly fileName: string;
  readonly state: BuildState;
  /** The origin of this folder, if the build records origins. */
  readonly origin: Origin | undefined;
  /** The namespace of a folder that refers to this one. */
  readonly parentNamespace: string;

  constructor(loader: Loader, state: BuildState, parent?: { target: Target; path: string }) {
    this.loader = loader;
    this.state = state;
    const { kustomization, fileName } = loadKustomization(loader, state.warn);
    this.kustomization = kustomization;
    this.fileName = fileName;
    const notesOrigins = state.buildMetadata ?? kustomization.buildMetadata ?? [];
    const outer = parent?.target;
    if (outer) this.origin = outer.origin && originBelow(outer.origin, parent.path);
    else this.origin = notesOrigins.length > 0 ? {} : undefined;
    this.parentNamespace = outer ? outer.kustomization.namespace || outer.parentNamespace : "";
    state.buildMetadata ??= kustomization.buildMetadata ?? [];
  }

  get helpers(): PluginHelpers {
    const { loader, state } = this;
    return { loader, schemas: () => state.schemas.current, helm: state.helm };
  }

  /** Accumulates all resources of the folder; a component shares the accumulator of the folder that includes it. */
  accumulate(into = new Accumulator()): Accumulator {
    const { kustomization, loader } = this;
    const { resources = [], configurations = [], crds = [], components = [] } = kustomization;
    doing("accumulating resources", () => this.accumulateResources(into, resources));
    into.mergeConfig(loadTransformerConfig(loader, configurations));
    into.mergeConfig(doing(`loading CRDs [${crds.join(" ")}]`, () => loadCrdConfig(loader, crds)));
    runGenerators(this, into);
    const accumulated = doing("accumulating components", () =>
      this.#accumulateComponents(into, components),
    );
    runTransformers(this, accumulated);
    runValidators(this, accumulated);
    const { vars = [] } = kustomization;
    doing(
      () => `merging vars [${vars.map(varText).join(" ")}]`,
      () => accumulated.mergeVars(vars),
    );
    return accumulated;
  }

  /** Adds files and folders. */
  accumulateResources(into: Accumulator, paths: readonly string[]): void {
    for (const path of paths) {
      try {
        this.#accumulateFile(into, path);
      } catch (error) {
        if (error instanceof RemoteError && !parseRepoUrl(path)) throw error;
        this.#accumulateBase(into, path, error);
      }
    }
  }

  #accumulateFile(into: Accumulator, path: string): void {
    const added = doing(
      `accumulating resources from '${path}'`,
      () => new ResourceMap(readFileResources(this.loader, path)).resources,
    );
    this.state.schemas.noteObjects();
    if (this.origin) {
      const origin = originText(originBelow(this.origin, path));
      for (const resource of added) {
        resource.annotations = { ...resource.annotations, [originAnnotation]: origin };
      }
    }
    doing(`merging resources from '${path}'`, () => into.map.append(added));
  }

  /** A path that is not a file must be a folder. */
  #accumulateBase(into: Accumulator, path: string, asFile: unknown): void {
    const prefix = `accumulation err='${messageOf(asFile)}'`;
    let loader: Loader;
    try {
      loader = this.loader.below(path);
    } catch (error) {
      if (messageOf(asFile).includes("MalformedYAMLError")) throw asFile;
      throw within(prefix, error);
    }
    doing(prefix, () => this.#accumulateFolder(into, loader, path, "Kustomization"));
  }

  #accumulateComponents(into: Accumulator, paths: readonly string[]): Accumulator {
    let accumulated = into;
    for (const path of paths) {
      let loader: Loader;
      try {
        loader = this.loader.below(path);
      } catch (error) {
        throw new KustomizeError(`loader.New ${goQuote(messageOf(error))}`, { cause: error });
      }
      try {
        accumulated = this.#accumulateFolder(accumulated, loader, path, "Component");
      } catch (error) {
        throw new KustomizeError(`accumulateDirectory: ${goQuote(messageOf(error))}`, {
          cause: error,
        });
      }
    }
    return accumulated;
  }

  #accumulateFolder(
    into: Accumulator,
    loader: Loader,
    path: string,
    wanted: "Component" | "Kustomization",
  ): Accumulator {
    const target = doing(
      `couldn't make target for path '${loader.root}'`,
      () => new Target(loader, this.state, { target: this, path }),
    );
    this.state.schemas.use(target.kustomization.openapi, loader, false);
    const { kind = "" } = target.kustomization;
    if (wanted === "Component" && kind !== "Component") {
      throw new KustomizeError(
        `expected kind 'Component' for path '${loader.root}' but got '${kind}'`,
      );
    }
    if (wanted !== "Component" && kind === "Component") {
      throw new KustomizeError(`expected kind != 'Component' for path '${loader.root}'`);
    }
    const made = doing(`recursed accumulation of path '${loader.root}'`, () =>
      wanted === "Component" ? target.accumulate(into) : target.accumulate(),
    );
    const result = wanted === "Component" ? new Accumulator() : into;
    doing(`recursed merging from path '${loader.root}'`, () => result.merge(made));
    return result;
  }

  /** The configurations of plugins: each entry is one itself, or a path. */
  pluginConfigs(entries: readonly string[], doingWhat: string): readonly Resource[] {
    const accumulated = new Accumulator();
    const paths: string[] = [];
    for (const entry of entries) {
      const inline = attempt(() => new ResourceMap(readResources(entry)).resources);
      if (!inline) {
        paths.push(entry);
        continue;
      }
      if (this.origin) {
        const origin = originBelow(this.origin, this.fileName);
        for (const resource of inline) setOrigin(resource, origin);
      }
      doing(doingWhat, () => accumulated.map.append(inline));
    }
    this.accumulateResources(accumulated, paths);
    return accumulated.map.resources;
  }

  /** The origin of objects that a field of this kustomization creates or changes. */
  builtInOrigin(kind: string): Origin | undefined {
    if (!this.origin) return undefined;
    const { path = "", repo, ref } = this.origin;
    return {
      ...(repo && { repo }),
      ...(ref && { ref }),
      configuredIn: join(path, this.fileName),
      configuredBy: { apiVersion: "builtin", kind },
    };
  }
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
