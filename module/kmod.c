// SPDX-License-Identifier: GPL-2.0
/*
 * vmlinux and kernel modules (design D8)
 *
 * Their build IDs are where sysfs has them: struct module has none in Debian's kernels. sysfs
 * is asked by its nodes, not by path, as a path depends on who asks and what is mounted.
 *
 * A module's record is published when the module is live: only then is its note in sysfs, and
 * a record does not change. Samples of its init function are not known until then.
 */
#include "internal.h"

#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>

#include "compat/module.h"
#include "compat/vmlinux.h"
#include "krec.h"

/* Longest notes that are read; those of vmlinux are some hundred bytes. */
#define BIDX_NOTES_MAX		65536U
/* No kernel is that large. */
#define BIDX_VMLINUX_MAX	(1UL << 30)

/**
 * struct bidx_coming - a module that is not live yet
 * @list: of all those
 * @mod: which; not to be dereferenced
 * @time: CLOCK_BOOTTIME at which its text was complete
 */
struct bidx_coming {
	struct list_head list;
	const struct module *mod;
	u64 time;
};

static struct {
	struct mutex lock;
	struct list_head coming;
	bool watched;
	bool vmlinux_known;
} kmod = {
	.lock = __MUTEX_INITIALIZER(kmod.lock),
	.coming = LIST_HEAD_INIT(kmod.coming),
};

/* What vmlinux stands for; the others have their struct module. */
static const char bidx_vmlinux_key;

/*
 * A copy of a file of sysfs that shows memory as it is. Return: an errno, or 0 and its
 * bytes in *@buf, to be freed.
 */
static int bidx_sysfs_copy(struct kobject *kobj, const struct kernfs_node *node, void **buf,
			   size_t *len)
{
	struct bin_attribute *attr = node->priv;
	ssize_t n;

	if (!attr->size || attr->size > BIDX_NOTES_MAX || !attr->read)
		return -EOPNOTSUPP;
	*buf = kmalloc(attr->size, GFP_KERNEL);
	if (!*buf)
		return -ENOMEM;
	n = attr->read(NULL, kobj, attr, *buf, 0, attr->size);
	if (n != attr->size) {
		kfree(*buf);
		return n < 0 ? n : -EIO;
	}
	*len = n;
	return 0;
}

/* Build ID in a file of notes of sysfs. Context: may sleep. Return: 0, or an errno. */
static int bidx_sysfs_build_id(struct kobject *kobj, const struct kernfs_node *node,
			       struct bidx_ident *id)
{
	struct bidx_reader reader = { .read = bidx_read_kernel };
	void *scratch;
	size_t len;
	int err;

	err = bidx_sysfs_copy(kobj, node, &reader.ctx, &len);
	if (err)
		return err;
	reader.size = len;
	scratch = kmalloc(BIDX_SCRATCH_SIZE, GFP_KERNEL);
	err = scratch ? bidx_identify_notes(&reader, id, scratch) : -ENOMEM;
	if (!err && id->kind != BUILDIDX_KIND_GNU)
		err = -ENOENT;
	kfree(scratch);
	kfree(reader.ctx);
	return err;
}

static int bidx_vmlinux_build_id(struct bidx_ident *id)
{
	struct kernfs_node *node = kernfs_find_and_get(kernel_kobj->sd, "notes");
	int err;

	if (!node)
		return -ENOENT;
	err = bidx_sysfs_build_id(kernel_kobj, node, id);
	kernfs_put(node);
	return err;
}

/* Context: may sleep; the module cannot go away. */
static int bidx_module_build_id(struct module *mod, struct bidx_ident *id)
{
	struct kernfs_node *dir, *node = NULL;
	int err;

	dir = mod->mkobj.kobj.sd ? kernfs_find_and_get(mod->mkobj.kobj.sd, "notes") : NULL;
	if (dir) {
		node = kernfs_find_and_get(dir, ".note.gnu.build-id");
		kernfs_put(dir);
	}
	if (!node)
		return -ENOENT;
	err = bidx_sysfs_build_id(&mod->mkobj.kobj, node, id);
	kernfs_put(node);
	return err;
}

/**
 * struct bidx_text - text of vmlinux or a module
 * @name: its name
 * @start: first address
 * @len: bytes
 * @vaddr: what frames count from
 * @since: CLOCK_BOOTTIME at which it came, 0 when it was there before the module
 */
struct bidx_text {
	const char *name;
	unsigned long start;
	unsigned long len;
	u64 vaddr;
	u64 since;
};

/* @id: NULL when it is not known. Context: may sleep. Return: 0 or -ENOMEM. */
static int bidx_text_publish(const struct bidx_text *text, const struct bidx_ident *id,
			     const void *key)
{
	struct buildidx_rec_module *r = kvzalloc(sizeof(*r), GFP_KERNEL);
	struct bidx_krec *k;

	BUILD_BUG_ON(sizeof(*r) % 8);
	if (!r)
		return -ENOMEM;
	r->rec.size = sizeof(*r);
	r->rec.type = BUILDIDX_REC_MODULE;
	r->rec.fixed = sizeof(*r);
	r->rec.time = text->since ?: ktime_get_boottime_ns();
	r->flags = text->since ? 0 : BUILDIDX_REC_ADOPTED;
	r->addr = text->start;
	r->len = text->len;
	r->vaddr = text->vaddr;
	r->load_time = text->since;
	strscpy(r->name, text->name, sizeof(r->name));
	if (id) {
		r->id_len = id->id_len;
		memcpy(r->id, id->id, sizeof(r->id));
	}
	k = bidx_krec_alloc(&r->rec, 1);
	if (!k) {
		kvfree(r);
		return -ENOMEM;
	}
	k->ranges[0].start = text->start;
	k->ranges[0].len = text->len;
	k->ranges[0].base = text->vaddr;
	if (id) {
		k->kind = BUILDIDX_KIND_GNU;
		k->source = BUILDIDX_SOURCE_KERNEL;
		k->id_len = id->id_len;
		memcpy(k->id, id->id, sizeof(k->id));
	}
	bidx_krec_publish(k, key);
	return 0;
}

/* Under the lock; the module is live and cannot go away. @since: as in struct bidx_text. */
static void bidx_module_publish(struct module *mod, u64 since)
{
	struct bidx_text text = { .name = mod->name, .since = since };
	struct bidx_ident *id;

	text.start = bidx_module_text(mod, &text.len);
	if (!text.len || bidx_krec_is_live(mod))
		return;
	id = kmalloc(sizeof(*id), GFP_KERNEL);
	if (!id || bidx_text_publish(&text, bidx_module_build_id(mod, id) ? NULL : id, mod))
		bidx_stream_lost(BUILDIDX_REC_MODULE, 1);
	kfree(id);
}

/* Under the lock. Return: when a module came; now, when that was not seen. */
static u64 bidx_module_came(const struct module *mod)
{
	u64 time = ktime_get_boottime_ns();
	struct bidx_coming *c;

	list_for_each_entry(c, &kmod.coming, list) {
		if (c->mod == mod) {
			time = c->time;
			list_del(&c->list);
			kfree(c);
			break;
		}
	}
	return time;
}

/* Under the lock. */
static void bidx_module_coming(const struct module *mod)
{
	struct bidx_coming *c = kmalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return;		/* its time will be that at which it is live */
	c->mod = mod;
	c->time = ktime_get_boottime_ns();
	list_add(&c->list, &kmod.coming);
}

static void bidx_module_going(const struct module *mod)
{
	const struct bidx_gone gone = {
		.time = ktime_get_boottime_ns(),
		.pid = task_tgid_nr(current),
		.tid = task_pid_nr(current),
	};

	bidx_module_came(mod);	/* if it failed to start */
	bidx_krec_retire(mod, &gone);
}

/* Context: the task that loads or unloads the module, which waits for us. */
static int bidx_module_notify(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	mutex_lock(&kmod.lock);
	switch (state) {
	case MODULE_STATE_COMING:
		bidx_module_coming(mod);
		break;
	case MODULE_STATE_LIVE:
		bidx_module_publish(mod, bidx_module_came(mod));
		break;
	case MODULE_STATE_GOING:
		bidx_module_going(mod);
		break;
	}
	mutex_unlock(&kmod.lock);
	return NOTIFY_DONE;
}

static struct notifier_block bidx_module_nb = {
	.notifier_call = bidx_module_notify,
};

/*
 * Modules that are live, each with a reference, so that none of them can go. Those that are
 * not yet will be told of. Return: how many are in @mods; more than @room: it is too small.
 */
static size_t bidx_live_modules(struct kset *kset, struct module **mods, size_t room)
{
	struct kobject *kobj;
	size_t n = 0;

	spin_lock(&kset->list_lock);
	list_for_each_entry(kobj, &kset->list, entry) {
		struct module *mod = container_of(kobj, struct module_kobject, kobj)->mod;

		/* None: built in. Its entry is taken from the list before its memory goes. */
		if (!mod || READ_ONCE(mod->state) != MODULE_STATE_LIVE)
			continue;
		if (n < room) {
			if (!try_module_get(mod))
				continue;
			mods[n] = mod;
		}
		n++;
	}
	spin_unlock(&kset->list_lock);
	return n;
}

/* Record the modules that are there. Context: may sleep. Return: 0 or -ENOMEM. */
static int bidx_modules_adopt(void)
{
	struct kset *kset = THIS_MODULE->mkobj.kobj.kset;
	struct module **mods;
	size_t room = 64, n, i;

	if (!kset)
		return -ENOENT;
	for (;;) {
		mods = kvmalloc_array(room, sizeof(*mods), GFP_KERNEL);
		if (!mods)
			return -ENOMEM;
		n = bidx_live_modules(kset, mods, room);
		for (i = 0; i < min(n, room); i++) {
			mutex_lock(&kmod.lock);
			bidx_module_publish(mods[i], 0);
			mutex_unlock(&kmod.lock);
			module_put(mods[i]);
		}
		kvfree(mods);
		if (n <= room)
			return 0;
		room = 2 * n;
	}
}

/*
 * Address of a symbol of vmlinux: what a kprobe that is never armed finds, whether one may be
 * there or not. As data only. Return: 0 when there is no such symbol.
 */
static unsigned long bidx_vmlinux_symbol(const char *name)
{
	struct kprobe kp = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };

	if (!register_kprobe(&kp))
		unregister_kprobe(&kp);
	return (unsigned long)kp.addr;
}

/* Return: 0 or an errno. */
static int bidx_vmlinux_range(struct bidx_text *text)
{
	const unsigned long known = (unsigned long)&register_kprobe;
	unsigned long end;

	/* What a kprobe goes past at the start of a function is less than a page. */
	text->start = bidx_vmlinux_symbol(BIDX_VMLINUX_START) & PAGE_MASK;
	end = bidx_vmlinux_symbol("_etext");
	if (!text->start || known < text->start || known >= end ||
	    end - text->start > BIDX_VMLINUX_MAX)
		return -EOPNOTSUPP;
	text->len = end - text->start;
	text->vaddr = BIDX_VMLINUX_VADDR;
	return 0;
}

/* Context: may sleep. Return: 0 or -ENOMEM. */
static int bidx_vmlinux_record(void)
{
	struct bidx_text text = { .name = "vmlinux" };
	struct bidx_ident *id;
	int err, id_err;

	err = bidx_vmlinux_range(&text);
	if (err) {
		pr_warn("where vmlinux is cannot be told: addresses in it answer KERNEL\n");
		return 0;
	}
	id = kmalloc(sizeof(*id), GFP_KERNEL);
	if (!id)
		return -ENOMEM;
	id_err = bidx_vmlinux_build_id(id);
	if (id_err)
		pr_warn("no build ID in /sys/kernel/notes (%d): addresses in vmlinux answer GENERATED\n",
			id_err);
	err = bidx_text_publish(&text, id_err ? NULL : id, &bidx_vmlinux_key);
	kmod.vmlinux_known = !err && !id_err;
	kfree(id);
	return err;
}

/* Set the bits of buildidx_info.kernel_state that are known here. */
void bidx_kmod_info(struct buildidx_info *info)
{
	if (kmod.vmlinux_known)
		info->kernel_state |= BUILDIDX_KERNEL_VMLINUX;
	if (kmod.watched)
		info->kernel_state |= BUILDIDX_KERNEL_MODULES;
}

/**
 * bidx_kmod_init() - record vmlinux, the modules that are there, and those to come
 *
 * Context: may sleep. Return: 0, or an errno.
 */
int bidx_kmod_init(void)
{
	int err;

	err = bidx_vmlinux_record();
	if (err)
		return err;
	/* First, so that none is missed in between. */
	err = register_module_notifier(&bidx_module_nb);
	if (!err) {
		kmod.watched = true;
		err = bidx_modules_adopt();
		if (err)
			bidx_kmod_exit();
	}
	if (err)
		pr_err("kernel modules cannot be recorded (%d)\n", err);
	return err;
}

/* Context: may sleep. What is recorded goes with bidx_krec_exit(). */
void bidx_kmod_exit(void)
{
	struct bidx_coming *c, *next;

	if (!kmod.watched)
		return;
	unregister_module_notifier(&bidx_module_nb);
	kmod.watched = false;
	list_for_each_entry_safe(c, next, &kmod.coming, list)
		kfree(c);
	INIT_LIST_HEAD(&kmod.coming);
}
