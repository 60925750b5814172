/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd/config.go (ModifyConfig). */
import { dirname, isAbsolute, relative } from "node:path";
import type {
  Cluster,
  Context as ConfigContext,
  Kubeconfig,
  User,
} from "#/client/kubeconfig/kubeconfig.ts";
import {
  type KubeconfigFile,
  kubeconfigPaths,
  mergeKubeconfigs,
  pathFields,
  readKubeconfig,
} from "#/client/kubeconfig/kubeconfig-files.ts";
import { writeKubeconfig } from "#/client/kubeconfig/write-kubeconfig.ts";
import { folderFailure } from "#/std/files/file-errors.ts";
import { makeFolders } from "#/std/files/make-folders.ts";
import { CommandError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import { entryTypes, type SectionName, typedKubeconfig } from "./typed-kubeconfig.ts";

interface Entries {
  clusters: { name: string; cluster: Cluster };
  users: { name: string; user: User };
  contexts: { name: string; context: ConfigContext };
}

/** The kubeconfig files of `config`: read merged, and written one by one; an entry stays in its file. */
export class KubeconfigAccess {
  /** The merged content of all files; paths in it are as written. */
  readonly config: Kubeconfig;
  /** The file for new entries. */
  readonly defaultFile: string;
  readonly #files: Map<string, Kubeconfig>;
  readonly #path: (name: string) => string;

  static async open({ global, env, cwd, path }: Context): Promise<KubeconfigAccess> {
    const explicit = global.kubeconfig;
    const names = explicit === "" ? kubeconfigPaths(env) : [explicit];
    const files = new Map<string, Kubeconfig>();
    for (const name of names) {
      const found = await readKubeconfig(name, cwd);
      if (found) files.set(name, found);
    }
    // New entries are written to the last of several files, unless one exists already.
    const [first] = files.keys();
    return new KubeconfigAccess(files, first ?? names.at(-1) ?? "", path);
  }

  private constructor(
    files: Map<string, Kubeconfig>,
    defaultFile: string,
    path: (name: string) => string,
  ) {
    this.#files = files;
    this.#path = path;
    this.defaultFile = defaultFile;
    this.config = mergeKubeconfigs(this.files);
  }

  /** The files that exist, in order of precedence. */
  get files(): KubeconfigFile[] {
    return Array.from(this.#files, ([name, config]) => ({ path: this.#path(name), config }));
  }

  find<S extends SectionName>(section: S, name: string): Entries[S] | undefined {
    const entries = (this.config[section] ?? []) as Entries[S][];
    return entries.find((entry) => entry.name === name);
  }

  names(section: SectionName): string[] {
    return (this.config[section] ?? []).map(({ name }) => name).sort();
  }

  /** Replaces the entry of the same name, or adds one to the file for new entries. */
  async put<S extends SectionName>(section: S, entry: Entries[S]): Promise<void> {
    const file = this.#fileOf(section, entry.name) ?? this.defaultFile;
    const config = this.#files.get(file) ?? {};
    const others = ((config[section] ?? []) as Entries[S][]).filter(
      ({ name }) => name !== entry.name,
    );
    const written = this.#withNearPaths(section, entry, file);
    await this.#write(file, { ...config, [section]: [...others, written] });
  }

  async remove(section: SectionName, name: string): Promise<void> {
    const file = this.#fileOf(section, name);
    const config = file && this.#files.get(file);
    if (!config) return;
    const rest = (config[section] ?? []).filter((entry) => entry.name !== name);
    await this.#write(file, { ...config, [section]: rest });
  }

  /** The current context is written to the file that has one, or else to the file for new entries. */
  async setCurrent(name: string): Promise<void> {
    const naming = [...this.#files].find(([, config]) => config["current-context"])?.[0];
    const file = naming ?? this.defaultFile;
    await this.#write(file, { ...this.#files.get(file), "current-context": name });
  }

  /** Paths below the folder of the file are written relative to it. */
  #withNearPaths<S extends SectionName>(section: S, entry: Entries[S], file: string): Entries[S] {
    const { field } = entryTypes[section];
    const inner = { ...(entry as unknown as Record<string, Record<string, unknown>>)[field] };
    for (const name of pathFields) {
      const path = inner[name];
      if (typeof path !== "string" || !isAbsolute(path)) continue;
      const near = relative(dirname(this.#path(file)), path);
      if (!near.startsWith("..")) inner[name] = near;
    }
    return { ...entry, [field]: inner };
  }

  #fileOf(section: SectionName, name: string): string | undefined {
    const has = ([, config]: [string, Kubeconfig]): boolean =>
      (config[section] ?? []).some((entry) => entry.name === name);
    return [...this.#files].find(has)?.[0];
  }

  async #write(file: string, config: Kubeconfig): Promise<void> {
    const typed = typedKubeconfig(config);
    this.#files.set(file, typed);
    const path = this.#path(file);
    try {
      makeFolders(dirname(path));
    } catch (error) {
      throw new CommandError(folderFailure(error), { cause: error });
    }
    await writeKubeconfig(path, typed);
  }
}
