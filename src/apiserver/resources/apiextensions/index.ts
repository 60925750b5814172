import type { Declaration } from "../../registry/strategy.ts";
import { customResourceDefinition } from "./custom-resource-definition.ts";

export const apiextensionsResources: readonly Declaration[] = [customResourceDefinition];
