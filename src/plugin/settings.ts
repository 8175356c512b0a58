import type { EngineInterface, PluginOptions } from 'claude-code'
import {
  cacheFolder,
  type FolderResult,
  recordFolder,
  recordKey,
  type Surroundings,
} from '../record/folders.ts'
import type { RecordText } from '../record/text-digest.ts'

/** Where this session records and reads, and how (recordDir, recordText). */
export interface Settings {
  recordDir: string
  recordText: RecordText
  /** The folder of the projections that the indexer publishes for this record; null where there can be none. */
  projectionDir: string | null
}

export type SettingsResult = { settings: Settings } | { problem: string; hint: string }

/**
 * The plugin's settings: the person's options, else the default folder of the operating system (ruling 11). A project
 * can set neither the options nor the variables that count here (docs/host.md, options and environment).
 */
export async function readSettings($: EngineInterface, options: PluginOptions): Promise<SettingsResult> {
  const around = await surroundings($)
  const record = recordFolder(around, String(options.recordDir ?? ''))
  if ('problem' in record) return record
  const recordText = options.recordText === 'metadata' ? 'metadata' : 'full'
  return {
    settings: {
      recordDir: record.folder,
      recordText,
      projectionDir: projectionDir(record.folder, cacheFolder(around)),
    },
  }
}

function projectionDir(recordDir: string, cache: FolderResult): string | null {
  return 'folder' in cache ? `${cache.folder}/${recordKey(recordDir)}` : null
}

async function surroundings($: EngineInterface): Promise<Surroundings> {
  const { platform } = await $.session.info()
  return {
    platform: platform === 'windows' ? 'win32' : platform === 'macos' ? 'darwin' : 'linux',
    home: (await $.env.get('HOME')) ?? (await $.env.get('USERPROFILE')),
    xdgDataHome: await $.env.get('XDG_DATA_HOME'),
    xdgCacheHome: await $.env.get('XDG_CACHE_HOME'),
    localAppData: await $.env.get('LOCALAPPDATA'),
  }
}
