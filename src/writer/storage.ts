/** Where the writer puts its files: the file system as Node sees it, or as the host lends it to a mod. */
export interface RecordStorage {
  /**
   * Creates the file with this content in one write, and the folders above it. Rejects, and changes nothing,
   * where the path exists already (`FileExistsError`); rejects with the system's error where writing fails.
   */
  create(path: string, content: string): Promise<void>
}

/** The path is taken. The writer never overwrites, so it goes on to the next sequence. */
export class FileExistsError extends Error {
  override readonly name = 'FileExistsError'
  readonly path: string

  constructor(path: string) {
    super(`file exists: ${path}`)
    this.path = path
  }
}
