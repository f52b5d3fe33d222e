//! A disk on which only what was synced is safe.
//!
//! The names in a folder reach the disk in the order in which they were given,
//! but how many of those since the folder's last sync did is open, for each
//! folder by itself; of a file's content since its last sync, nothing, a part or
//! all may be there. Real file systems promise more, which hides missing syncs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// A file or a folder, by its place in [`Disk::nodes`].
type Id = usize;

/// What a call did.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A name now leads to a node.
    Add { folder: Id, name: String, node: Id },
    /// A name is gone and another leads to its node, in one go.
    Move { folder: Id, from: String, to: String },
    /// A name is gone.
    Remove { folder: Id, name: String },
    /// A file has this content.
    Write { file: Id, content: Vec<u8> },
    /// A file or a folder is as it is.
    Sync { node: Id },
    /// A process was started.
    Launch,
}

#[derive(Clone, Debug)]
enum Node {
    File(Vec<u8>),
    Folder(BTreeMap<String, Id>),
}

/// The disk as running processes see it, and all that was done to it.
pub(crate) struct Disk {
    root: PathBuf,
    before: Vec<Node>,
    nodes: Vec<Node>,
    pub(crate) steps: Vec<Step>,
}

/// One state in which a cut may leave the disk: what each path leads to. Paths of
/// one file have one number.
pub(crate) type State = BTreeMap<PathBuf, Found>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Found {
    Folder,
    File(Id, Vec<u8>),
}

impl Disk {
    /// A disk that holds what lies in a folder, all of it synced.
    pub(crate) fn of(root: &Path) -> Disk {
        let mut nodes = vec![Node::Folder(BTreeMap::new())];
        load(root, 0, &mut nodes);
        Disk { root: root.to_owned(), before: nodes.clone(), nodes, steps: Vec::new() }
    }

    /// Makes a file or a folder; a name that is there already stays.
    pub(crate) fn make(&mut self, path: &Path, is_folder: bool) {
        if self.find(path).is_some() {
            return;
        }
        let new = || if is_folder { Node::Folder(BTreeMap::new()) } else { Node::File(Vec::new()) };
        self.nodes.push(new());
        self.before.push(new());
        self.name(path, self.nodes.len() - 1);
    }

    pub(crate) fn write(&mut self, path: &Path, bytes: &[u8]) {
        let Some(file) = self.find(path) else { return };
        if let Node::File(content) = &mut self.nodes[file] {
            content.extend_from_slice(bytes);
            let content = content.clone();
            self.steps.push(Step::Write { file, content });
        }
    }

    pub(crate) fn sync(&mut self, path: &Path) {
        if let Some(node) = self.find(path) {
            self.steps.push(Step::Sync { node });
        }
    }

    pub(crate) fn link(&mut self, from: &Path, to: &Path) {
        let node = self.find(from).unwrap();
        self.name(to, node);
    }

    pub(crate) fn rename(&mut self, from: &Path, to: &Path) {
        let (folder, from) = self.parent(from);
        let (target, to) = self.parent(to);
        assert_eq!(folder, target, "a rename from folder to folder is not modelled");
        self.act(Step::Move { folder, from, to });
    }

    pub(crate) fn unlink(&mut self, path: &Path) {
        let (folder, name) = self.parent(path);
        self.act(Step::Remove { folder, name });
    }

    fn name(&mut self, path: &Path, node: Id) {
        let (folder, name) = self.parent(path);
        self.act(Step::Add { folder, name, node });
    }

    fn act(&mut self, step: Step) {
        apply(&step, &mut self.nodes);
        self.steps.push(step);
    }

    fn parent(&self, path: &Path) -> (Id, String) {
        let folder = self.find(path.parent().unwrap()).expect("a folder that is not there");
        (folder, path.file_name().unwrap().to_str().unwrap().to_owned())
    }

    fn find(&self, path: &Path) -> Option<Id> {
        let mut at = 0;
        for part in path.strip_prefix(&self.root).ok()?.components() {
            let Component::Normal(name) = part else { continue };
            let Node::Folder(entries) = &self.nodes[at] else { return None };
            at = *entries.get(name.to_str()?)?;
        }
        Some(at)
    }

    /// Every state in which a cut after `cut` of the steps may leave the disk,
    /// if the step `without` had not been made.
    pub(crate) fn states(&self, cut: usize, without: Option<usize>) -> BTreeSet<State> {
        let made = self.steps[..cut].iter().enumerate();
        let steps: Vec<_> = made.filter(|(i, _)| Some(*i) != without).map(|(_, s)| s).collect();
        let mut open = Open { entries: BTreeMap::new(), contents: BTreeMap::new() };
        let mut safe = self.before.clone();
        for step in steps {
            open.note(step, &mut safe);
        }
        let mut states = BTreeSet::new();
        for nodes in open.choices(safe) {
            let mut state = State::new();
            walk(&nodes, 0, Path::new(""), &mut state);
            states.insert(state);
        }
        states
    }
}

/// What is not synced: the changes of each folder, the contents of each file.
struct Open<'a> {
    entries: BTreeMap<Id, Vec<&'a Step>>,
    contents: BTreeMap<Id, Vec<Vec<u8>>>,
}

impl<'a> Open<'a> {
    fn note(&mut self, step: &'a Step, safe: &mut [Node]) {
        match step {
            Step::Add { folder, .. } | Step::Move { folder, .. } | Step::Remove { folder, .. } => {
                self.entries.entry(*folder).or_default().push(step);
            }
            Step::Write { file, content } => {
                let contents = self.contents.entry(*file).or_default();
                contents.push(content[..content.len() / 2].to_vec());
                contents.push(content.clone());
            }
            Step::Sync { node } => {
                for step in self.entries.remove(node).unwrap_or_default() {
                    apply(step, safe);
                }
                if let Some(content) = self.contents.remove(node).and_then(|mut all| all.pop()) {
                    safe[*node] = Node::File(content);
                }
            }
            Step::Launch => {}
        }
    }

    /// Every combination of a prefix of each folder's changes and one of each
    /// file's contents, on top of what is safe.
    fn choices(&self, safe: Vec<Node>) -> Vec<Vec<Node>> {
        let mut all = vec![safe];
        for steps in self.entries.values() {
            let mut more = Vec::new();
            for nodes in &all {
                let mut nodes = nodes.clone();
                for step in steps {
                    apply(step, &mut nodes);
                    more.push(nodes.clone());
                }
            }
            all.extend(more);
        }
        for (&file, contents) in &self.contents {
            let mut more = Vec::new();
            for nodes in &all {
                for content in contents {
                    let mut nodes = nodes.clone();
                    nodes[file] = Node::File(content.clone());
                    more.push(nodes);
                }
            }
            all.extend(more);
        }
        all
    }
}

fn apply(step: &Step, nodes: &mut [Node]) {
    let mut entries = |folder: Id| match &mut nodes[folder] {
        Node::Folder(entries) => std::mem::take(entries),
        Node::File(_) => panic!("a file is used as a folder"),
    };
    let (folder, entries) = match step {
        Step::Add { folder, name, node } => {
            let mut entries = entries(*folder);
            entries.insert(name.clone(), *node);
            (*folder, entries)
        }
        Step::Move { folder, from, to } => {
            let mut entries = entries(*folder);
            if let Some(node) = entries.remove(from) {
                entries.insert(to.clone(), node);
            }
            (*folder, entries)
        }
        Step::Remove { folder, name } => {
            let mut entries = entries(*folder);
            entries.remove(name);
            (*folder, entries)
        }
        Step::Write { .. } | Step::Sync { .. } | Step::Launch => return,
    };
    nodes[folder] = Node::Folder(entries);
}

fn load(path: &Path, at: Id, nodes: &mut Vec<Node>) {
    for entry in fs_err::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        let is_folder = entry.file_type().unwrap().is_dir();
        let id = nodes.len();
        nodes.push(match is_folder {
            true => Node::Folder(BTreeMap::new()),
            false => Node::File(fs_err::read(entry.path()).unwrap()),
        });
        if let Node::Folder(entries) = &mut nodes[at] {
            entries.insert(entry.file_name().into_string().unwrap(), id);
        }
        if is_folder {
            load(&entry.path(), id, nodes);
        }
    }
}

fn walk(nodes: &[Node], at: Id, path: &Path, state: &mut State) {
    match &nodes[at] {
        Node::File(content) => {
            state.insert(path.to_owned(), Found::File(at, content.clone()));
        }
        Node::Folder(entries) => {
            state.insert(path.to_owned(), Found::Folder);
            for (name, &node) in entries {
                walk(nodes, node, &path.join(name), state);
            }
        }
    }
}
