/** Upstream: sigs.k8s.io/kustomize/api/internal/target/kusttarget.go, api/types/kustomization.go. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { goQuote } from "#/std/go-quote.ts";
import { CommandError } from "../errors.ts";
import { readDocuments } from "../resource/read-documents.ts";
import { type Kustomization, knownFields } from "./kustomization.ts";

const fileNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** The kustomization file of a folder. */
export async function loadKustomization(folder: string): Promise<Kustomization> {
  const found = (await Promise.all(fileNames.map((name) => tryRead(join(folder, name))))).filter(
    (text) => text !== undefined,
  );
  const [text] = found;
  if (text === undefined) {
    throw new CommandError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${folder}'`,
    );
  }
  if (found.length > 1) {
    throw new CommandError(`Found multiple kustomization files under: ${folder}\n`);
  }
  const [document = {}] = readDocuments(text, join(folder, "kustomization.yaml"));
  const kustomization = document as Kustomization;
  checkKustomization(kustomization, folder);
  return kustomization;
}

async function tryRead(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined;
  }
}

function checkKustomization(kustomization: Kustomization, folder: string): void {
  const fields = Object.keys(kustomization);
  const unknown = fields.find((field) => !knownFields.has(field));
  if (unknown !== undefined) {
    throw new CommandError(`invalid Kustomization: json: unknown field ${goQuote(unknown)}`);
  }
  if (fields.every((field) => field === "apiVersion" || field === "kind" || field === "metadata")) {
    throw new CommandError("kustomization.yaml is empty");
  }
  const { kind = "Kustomization", apiVersion } = kustomization;
  const problems: string[] = [];
  const versions: Record<string, string> = {
    Kustomization: "kustomize.config.k8s.io/v1beta1",
    Component: "kustomize.config.k8s.io/v1alpha1",
  };
  if (!(kind in versions)) problems.push("kind should be Kustomization or Component");
  const wanted = versions[kind] ?? "kustomize.config.k8s.io/v1beta1";
  if (apiVersion !== undefined && apiVersion !== wanted) {
    problems.push(`apiVersion for ${kind} should be ${wanted}`);
  }
  if (problems.length > 0) {
    throw new CommandError(
      `Failed to read kustomization file under ${folder}:\n${problems.join("\n")}`,
    );
  }
  refuse(kustomization);
}

/** What runs programs or isn't built. */
function refuse({
  helmCharts,
  generators,
  transformers,
  validators,
  vars,
  buildMetadata,
}: Kustomization): void {
  if (helmCharts) throw new CommandError("must specify --enable-helm");
  const refused = Object.entries({
    generators,
    transformers,
    validators,
    vars,
    buildMetadata,
  }).find(([, value]) => value !== undefined && value.length > 0);
  if (refused)
    throw new CommandError(`kustomization field ${goQuote(refused[0])} is not supported`);
}
