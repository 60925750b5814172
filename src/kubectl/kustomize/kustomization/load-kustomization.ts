/** Upstream: sigs.k8s.io/kustomize/api/internal/target/kusttarget.go, api/types/kustomization.go. */
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { doing, KustomizeError } from "../failure/kustomize-error.ts";
import type { Loader } from "../files/loader.ts";
import { decodeShape } from "./decode-shape.ts";
import { chartOfOldForm, globalsOfOldForm } from "./helm-chart.ts";
import { deprecations, type GeneratorArgs, type Kustomization } from "./kustomization.ts";
import { kustomizationShape } from "./shapes.ts";

const fileNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

interface LoadedKustomization {
  readonly kustomization: Kustomization;
  readonly fileName: string;
}

/** The kustomization file of a folder; reports warnings to `warn`. */
export function loadKustomization(
  loader: Loader,
  warn: (text: string) => void,
): LoadedKustomization {
  const { fileName, bytes } = findFile(loader);
  const decoded = doing("invalid Kustomization", () => decode(bytes));
  for (const warning of deprecations(decoded)) warn(warning);
  const kustomization = fixed(decoded);
  const isEmpty = Object.entries(kustomization).every(
    ([field, value]) => field === "apiVersion" || field === "kind" || value === "",
  );
  if (isEmpty) throw new KustomizeError("kustomization.yaml is empty");
  checkType(kustomization, loader.root);
  return { kustomization, fileName };
}

function decode(bytes: Uint8Array): Kustomization {
  const value = readYaml(bytes).value;
  return (decodeShape(value, kustomizationShape, { strict: true }) ?? {}) as Kustomization;
}

function findFile(loader: Loader): { fileName: string; bytes: Uint8Array } {
  const found = fileNames.flatMap((fileName) => {
    const bytes = loader.tryLoad(fileName);
    return bytes ? [{ fileName, bytes }] : [];
  });
  const [only] = found;
  if (!only) {
    throw new KustomizeError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${loader.root}'`,
    );
  }
  if (found.length === 1) return only;
  throw new KustomizeError(`Found multiple kustomization files under: ${loader.root}\n`);
}

/** Moves the values of deprecated fields to their successors. */
function fixed(kustomization: Kustomization): Kustomization {
  const { bases, imageTags, helmChartInflationGenerator, ...rest } = kustomization;
  const joined = <T>(list: readonly T[] | undefined, more: readonly T[] | undefined) =>
    list || (more && more.length > 0) ? [...(list ?? []), ...(more ?? [])] : undefined;
  const parts = {
    resources: joined(rest.resources, bases),
    images: joined(rest.images, imageTags),
    helmCharts: joined(rest.helmCharts, helmChartInflationGenerator?.map(chartOfOldForm)),
    helmGlobals: rest.helmGlobals ?? globalsOfOldForm(helmChartInflationGenerator ?? []),
    configMapGenerator: rest.configMapGenerator?.map(withEnvs),
    secretGenerator: rest.secretGenerator?.map(withEnvs),
  };
  const { kind = "Kustomization" } = rest;
  const version = kind === "Component" ? "v1alpha1" : "v1beta1";
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)),
    kind: kind === "" ? "Kustomization" : kind,
    apiVersion: rest.apiVersion || `kustomize.config.k8s.io/${version}`,
  };
}

function withEnvs({ env, ...args }: GeneratorArgs): GeneratorArgs {
  return env ? { ...args, envs: [...(args.envs ?? []), env] } : args;
}

function checkType({ kind = "", apiVersion }: Kustomization, root: string): void {
  const problems: string[] = [];
  if (kind !== "Kustomization" && kind !== "Component") {
    problems.push("kind should be Kustomization or Component");
  }
  const wanted = `kustomize.config.k8s.io/${kind === "Component" ? "v1alpha1" : "v1beta1"}`;
  if (apiVersion !== wanted) problems.push(`apiVersion for ${kind} should be ${wanted}`);
  if (problems.length === 0) return;
  throw new KustomizeError(
    `Failed to read kustomization file under ${root}:\n${problems.join("\n")}`,
  );
}
