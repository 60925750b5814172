import { lazyModule } from "../base/lazily.ts";

/** Go's regular expressions, which match in time linear in the text: loaded when there is one. */
export const re2 = lazyModule<typeof import("re2js")>("re2js", import.meta.url);
