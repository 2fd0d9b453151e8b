package wizard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// job is the result of the questions, checked like a file, and that file. It keeps the credentials
// file of the file that it replaces, because the passwords are there.
func (w *wizard) job() (Job, []byte, error) {
	answers := w.a.Spec
	answers.CredentialsFile = w.replaced().CredentialsFile
	text := answers.YAML()
	s, err := spec.Parse("answers", text)
	if err != nil {
		return Job{}, nil, plainly(answers)
	}
	s.Locate(filepath.Dir(w.o.Out))
	trust := map[string]string{}
	maps.Copy(trust, w.o.Thumbprints)
	for _, v := range s.VCenters {
		if tp := w.a.Trust[v.Server]; tp != "" {
			trust[v.Server] = tp
		}
	}
	config := w.a.Config
	if config == runningCluster {
		config = ""
	}
	return Job{
		Spec: s, File: w.o.Out, InstallConfig: config, CreateFolders: w.a.makes(), Thumbprints: trust,
		CACert: w.a.CACert, Logins: w.logins, Agreed: w.shown,
	}, text, nil
}

// replaced is the existing provisioning file, or an empty one if none can be read.
func (w *wizard) replaced() spec.Spec {
	data, err := files.Read(w.o.Out, files.Text, files.Regular)
	if err == nil {
		if s, err := spec.Parse(w.o.Out, data); err == nil {
			return *s
		}
	}
	return spec.Spec{}
}

// plan shows the plan. The file can be written even if a vCenter cannot be read.
func (w *wizard) plan(ctx context.Context, s step) (step, error) {
	next := step{name: "finish"}
	w.shown = ""
	j, _, err := w.job()
	if err != nil {
		w.explain(err)
		if _, err := w.choose(ctx, Choice{
			Message: "the answers contradict each other", Entries: simple("save and quit"),
			Help: "Press Esc to go back, and change the answers named above.",
		}); err != nil {
			return s, err
		}
		return s, errStop
	}
	if w.backing { // the plan is no question
		return next, nil
	}
	if j.CreateFolders {
		for _, v := range j.Spec.VCenters {
			for _, fd := range v.FailureDomains {
				if fd.Folder == "" {
					w.o.Ask.Say(fmt.Sprintf("note: apply also creates the folder %s/vm/%s for %s", fd.DatacenterPath(), j.Spec.Cluster, fd.Name))
				}
			}
		}
	}
	w.o.Ask.Say("")
	if w.shown, err = w.o.Plan(ctx, j); err == nil || ctx.Err() != nil {
		return next, err
	}
	w.explain(err)
	i, err := w.choose(ctx, Choice{
		Message: "the plan is incomplete: what now?",
		Help:    "You can still write the file, and plan and apply it later.",
		Entries: simple("plan again", "write the file anyway", "save and quit"),
	})
	switch {
	case err != nil:
		return s, err
	case i == 0:
		return s, nil
	case i == 2:
		return s, errStop
	}
	return next, nil
}

// finish asks what is to be done with the answers, and writes the file.
func (w *wizard) finish(ctx context.Context, s step) (step, error) {
	const write, elsewhere = 0, 2
	note := "the changes above"
	if w.shown == "" {
		note = "shows the plan first"
	}
	i, err := w.choose(ctx, Choice{
		Message: "what now?",
		Help:    "Nothing has been changed on a vCenter yet. The file contains no passwords; 'plan' and 'apply' read it with -f.",
		Entries: []Entry{
			{"write " + w.o.Out, ""},
			{"write " + w.o.Out + " and apply", note},
			{"write to another file", ""},
			{"save and quit", ""},
		},
	})
	switch {
	case err != nil:
		return s, err
	case i == elsewhere:
		return w.rename(ctx, s)
	case i > elsewhere:
		return s, errStop
	}
	if _, err := os.Lstat(w.o.Out); err == nil && !w.o.Overwrite {
		yes, err := w.confirm(ctx, Choice{Message: "overwrite " + w.o.Out + "?", Help: "The file exists. Its content is replaced, except credentialsFile."}, false)
		if err != nil {
			return s, err
		}
		if !yes {
			return s, nil
		}
	}
	j, text, err := w.job()
	if err != nil {
		return s, err
	}
	if err := w.o.Write(w.o.Out, text); err != nil {
		w.explain(err)
		return s, nil
	}
	w.discard()
	w.done.Job = j
	w.o.Ask.Say("wrote " + w.o.Out)
	if i == write {
		return step{name: end}, nil
	}
	return step{name: "apply"}, nil
}

// rename writes somewhere else. The draft goes along.
func (w *wizard) rename(ctx context.Context, s step) (step, error) {
	name, err := w.line(ctx, Line{
		Message: "file", Default: w.o.Out, Help: "The path of the provisioning file.",
		Check: func(text string) error {
			if info, err := os.Stat(text); err == nil && info.IsDir() {
				return fmt.Errorf("%s is a directory", text)
			}
			return nil
		},
	})
	if err != nil {
		return s, err
	}
	w.discard()
	if name != w.o.Out {
		w.o.Out, w.o.Overwrite = name, false
	}
	return s, nil
}

// apply executes the plan. After a failure the written file remains, to apply again.
func (w *wizard) apply(ctx context.Context, _ step) (step, error) {
	j := w.done.Job
	j.Agreed = w.shown
	if err := w.o.Apply(ctx, j); err != nil {
		return step{}, err
	}
	w.done.Applied = true
	w.history = nil // what is done is done
	return step{name: "verify"}, nil
}

// verify offers to prove it.
func (w *wizard) verify(ctx context.Context, _ step) (step, error) {
	stop := step{name: end}
	yes, err := w.confirm(ctx, Choice{
		Message: "verify the accounts now?",
		Help:    "Logs in as each account and compares its rights with what it needs. Nothing is changed.",
	}, true)
	if errors.Is(err, errBack) {
		return stop, nil
	}
	if err != nil || !yes {
		return stop, err
	}
	return stop, w.o.Verify(ctx, w.done.Job)
}
