/** Upstream: k8s.io/client-go/tools/clientcmd/config.go (ModifyConfig). */
import { resolve } from "node:path";
import type {
  Cluster,
  Context as ConfigContext,
  Kubeconfig,
  User,
} from "#/client/kubeconfig/kubeconfig.ts";
import { emptyKubeconfig } from "#/client/kubeconfig/kubeconfig.ts";
import {
  kubeconfigPaths,
  mergeKubeconfigs,
  readKubeconfig,
} from "#/client/kubeconfig/kubeconfig-files.ts";
import { writeKubeconfig } from "#/client/kubeconfig/write-kubeconfig.ts";
import type { Context } from "../../context.ts";

/** Entries of a kubeconfig by their names. */
export type SectionName = "clusters" | "users" | "contexts";

interface Entries {
  clusters: { name: string; cluster: Cluster };
  users: { name: string; user: User };
  contexts: { name: string; context: ConfigContext };
}

/** The kubeconfig files that `config` reads, merged, and written one by one: an entry stays in the file that has it. */
export class KubeconfigAccess {
  /** What all files say together; paths in it are absolute. */
  readonly config: Kubeconfig;
  /** Where what is new goes. */
  readonly defaultFile: string;
  readonly #files: Map<string, Kubeconfig>;

  static async open({ global, env, path }: Context): Promise<KubeconfigAccess> {
    const explicit = global.kubeconfig;
    const paths = (explicit === "" ? kubeconfigPaths(env) : [explicit]).map((name) => path(name));
    const files = new Map<string, Kubeconfig>();
    for (const name of paths) {
      const found = await readKubeconfig(name);
      if (found) files.set(name, found);
    }
    // The last of several files gets what is new, unless one exists already.
    const [first] = files.keys();
    return new KubeconfigAccess(files, resolve(first ?? paths.at(-1) ?? ""));
  }

  private constructor(files: Map<string, Kubeconfig>, defaultFile: string) {
    this.#files = files;
    this.defaultFile = defaultFile;
    this.config = mergeKubeconfigs(Array.from(files, ([path, config]) => ({ path, config })));
  }

  find<S extends SectionName>(section: S, name: string): Entries[S] | undefined {
    const entries = (this.config[section] ?? []) as Entries[S][];
    return entries.find((entry) => entry.name === name);
  }

  names(section: SectionName): string[] {
    return (this.config[section] ?? []).map(({ name }) => name).sort();
  }

  /** Puts an entry where there was one of its name, or else where new ones go. */
  async put<S extends SectionName>(section: S, entry: Entries[S]): Promise<void> {
    const file = this.#fileOf(section, entry.name) ?? this.defaultFile;
    const config = this.#files.get(file) ?? emptyKubeconfig();
    const others = ((config[section] ?? []) as Entries[S][]).filter(
      ({ name }) => name !== entry.name,
    );
    const sorted = [...others, entry].sort((a, b) => (a.name < b.name ? -1 : 1));
    await this.#write(file, { ...config, [section]: sorted });
  }

  async remove(section: SectionName, name: string): Promise<void> {
    const file = this.#fileOf(section, name);
    const config = file && this.#files.get(file);
    if (!config) return;
    const rest = (config[section] ?? []).filter((entry) => entry.name !== name);
    await this.#write(file, { ...config, [section]: rest });
  }

  /** The current context is written to the file that names one, or else where new things go. */
  async setCurrent(name: string): Promise<void> {
    const naming = [...this.#files].find(([, config]) => config["current-context"])?.[0];
    const file = naming ?? this.defaultFile;
    const config = this.#files.get(file) ?? emptyKubeconfig();
    await this.#write(file, { ...config, "current-context": name });
  }

  #fileOf(section: SectionName, name: string): string | undefined {
    const has = ([, config]: [string, Kubeconfig]): boolean =>
      (config[section] ?? []).some((entry) => entry.name === name);
    return [...this.#files].find(has)?.[0];
  }

  async #write(file: string, config: Kubeconfig): Promise<void> {
    const complete = { ...emptyKubeconfig(), ...config };
    const { preferences, ...rest } = complete;
    const isEmpty = Object.keys(preferences ?? {}).length === 0;
    this.#files.set(file, complete);
    await writeKubeconfig(file, isEmpty ? rest : complete);
  }
}
