export { type Archive, findArchive, listArchives } from "./archives.store.ts";
