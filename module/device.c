// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/buildidx (design D10, D11; the ABI is in include/uapi/buildidx.h)
 */
#include "internal.h"
#include "device.h"
#include "krec.h"
#include "reader.h"

#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat/file.h"

#define BIDX_DUMP_MAX	65536

static long bidx_ioc_info(union bidx_arg *arg)
{
	struct buildidx_info *info = &arg->info;
	u32 size = info->size;

	if (info->flags || info->pad)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->size = size;
	info->abi_version = BUILDIDX_ABI_VERSION;
	bidx_kfunc_info(&info->kfunc_state, &info->kfunc_error);
	info->capture_mode = bidx_work_has_task_work() ? BUILDIDX_CAPTURE_TASK_WORK :
							 BUILDIDX_CAPTURE_WORKER;
	info->hooks_on = READ_ONCE(bidx_active);
	info->max_entries = bidx_index_max();
	info->entries = bidx_index_count();
	info->heads = bidx_index_heads();
	strscpy(info->version, BUILDIDX_VERSION, sizeof(info->version));
	info->nr_hooks = bidx_hooks_info(info->hooks, BUILDIDX_HOOK_MAX);
	bidx_records_info(info);
	bidx_stream_info(info);
	bidx_kmod_info(info);
	return 0;
}

/*
 * What the index says of an inode now. Return: false when reading the file
 * could make the answer better.
 */
bool bidx_object_of(struct inode *inode, struct buildidx_object *obj)
{
	struct bidx_entry *e;

	rcu_read_lock();
	e = bidx_index_lookup(inode);
	if (e) {
		bidx_entry_to_object(e, obj);
	} else {
		memset(obj, 0, sizeof(*obj));
		obj->status = BUILDIDX_STATUS_NOT_INDEXED;
	}
	if (obj->kind != BUILDIDX_KIND_NONE && bidx_entry_modified(e, inode, inode->i_mapping)) {
		obj->status = BUILDIDX_STATUS_MODIFIED;
		obj->kind = BUILDIDX_KIND_NONE;
		obj->source = BUILDIDX_SOURCE_NONE;
		obj->id_len = 0;
		memset(obj->id, 0, sizeof(obj->id));
	}
	rcu_read_unlock();
	return obj->kind != BUILDIDX_KIND_NONE;
}

/*
 * Identity of what a file maps: for overlayfs the inode below. The file is read
 * unless the index has its present content.
 */
static long bidx_query_file(struct file *file, struct buildidx_object *obj)
{
	struct inode *inode = d_real_inode(file->f_path.dentry);
	long err;

	if ((file->f_mode & (FMODE_READ | FMODE_CAN_READ)) != (FMODE_READ | FMODE_CAN_READ) ||
	    !bidx_inode_wanted(inode))
		return -EOPNOTSUPP;
	if (!READ_ONCE(bidx_active)) {
		memset(obj, 0, sizeof(*obj));
		obj->status = BUILDIDX_STATUS_OFF;
		return 0;
	}
	if (bidx_object_of(inode, obj))
		return 0;
	err = bidx_capture(file, inode, NULL);
	if (err == -EINTR || err == -ENOMEM)
		return err;
	bidx_object_of(inode, obj);
	return 0;
}

static long bidx_ioc_query_fd(union bidx_arg *arg)
{
	struct buildidx_query_fd *q = &arg->fd;
	struct file *file;
	long err;

	if (q->flags || q->pad)
		return -EINVAL;
	file = fget(q->fd);	/* not an O_PATH one */
	if (!file)
		return -EBADF;
	if (!(file->f_mode & FMODE_READ))
		err = -EBADF;
	else if (!S_ISREG(file_inode(file)->i_mode))
		err = -EINVAL;
	else
		err = bidx_query_file(file, &q->obj);
	fput(file);
	return err;
}

/* Return: the address space of a process that the caller may ask about, or an error pointer. */
static struct mm_struct *bidx_mm_of(s32 nr)
{
	struct task_struct *task;
	struct mm_struct *mm = NULL;
	struct pid *pid;
	bool own;

	if (nr < 0)
		return ERR_PTR(-EINVAL);
	if (!nr) {
		mm = current->mm;
		if (mm)
			mmget(mm);
		return mm;
	}
	pid = find_get_pid(nr);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return ERR_PTR(-ESRCH);
	own = same_thread_group(task, current);
	if (own || capable(CAP_SYS_PTRACE) || perfmon_capable())
		mm = get_task_mm(task);
	else
		mm = ERR_PTR(-EPERM);
	put_task_struct(task);
	return mm;
}

static long bidx_query_mm(struct mm_struct *mm, u64 address, struct bidx_range *r)
{
	struct file *file;
	int pass;

	/* Twice: the first look may find a file to read first. */
	for (pass = 0; pass < 2; pass++) {
		if (mmap_read_lock_killable(mm))
			return -EINTR;
		bidx_resolve_locked(mm, address, r, &file);
		mmap_read_unlock(mm);
		if (!file)
			break;
		if (!pass)
			bidx_capture(file, file_inode(file), NULL);
		fput(file);
	}
	return 0;
}

/* The same in each process, and told to those who may see kernel addresses. */
static void bidx_query_kernel(u64 address, struct bidx_range *r)
{
	rcu_read_lock();
	bidx_resolve(NULL, address, r);
	rcu_read_unlock();
	if (r->object && !bidx_object_address_seen(r->object, bidx_may_see())) {
		memset(r, 0, sizeof(*r));
		r->status = BUILDIDX_STATUS_KERNEL;
	}
}

static long bidx_ioc_query_addr(union bidx_arg *arg)
{
	struct buildidx_query_addr *q = &arg->addr;
	struct bidx_range r = { .status = BUILDIDX_STATUS_NO_MM };
	struct mm_struct *mm;
	long err = 0;

	if (q->flags || q->pad)
		return -EINVAL;
	mm = bidx_mm_of(q->pid);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	if (q->address >= TASK_SIZE_MAX)
		bidx_query_kernel(q->address, &r);
	else if (mm && READ_ONCE(bidx_active))
		err = bidx_query_mm(mm, q->address, &r);
	else if (mm)
		r.status = BUILDIDX_STATUS_OFF;
	if (mm)
		mmput(mm);
	if (err)
		return err;
	bidx_range_to_frame(&r, q->address, &q->frame);
	bidx_count_status(r.status);
	return 0;
}

static long bidx_ioc_query_exe(union bidx_arg *arg)
{
	struct buildidx_query_exe *q = &arg->exe;
	struct mm_struct *mm;
	struct file *file;
	long err;

	if (q->flags || q->pad)
		return -EINVAL;
	mm = bidx_mm_of(q->pid);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	if (!mm)
		return -ESRCH;
	file = bidx_mm_exe_file(mm);
	mmput(mm);
	if (!file)
		return -ESRCH;
	err = bidx_query_file(file, &q->obj);
	fput(file);
	return err;
}

static long bidx_ioc_object(union bidx_arg *arg)
{
	struct buildidx_query_object *q = &arg->object;
	unsigned int i;

	if (!bidx_may_see_all())
		return -EPERM;
	if (q->flags)
		return -EINVAL;
	for (i = 0; !bidx_vdso_object(i, &q->obj); i++)
		if (q->obj.object == q->object)
			return 0;
	return bidx_index_find_object(q->object, &q->obj);
}

/* One step of a dump: a chain of the table, or the vDSO images after the last. */
static int bidx_dump_step(u64 cursor, struct buildidx_object *objs, unsigned int room)
{
	unsigned int i;

	if (cursor < bidx_index_heads())
		return bidx_index_dump_head(cursor, objs, room);
	for (i = 0; i < room && !bidx_vdso_object(i, &objs[i]); i++)
		;
	return i == room ? -ENOSPC : i;
}

static int bidx_dump_copy(const struct buildidx_dump *d, u32 done,
			  const struct buildidx_object *objs, unsigned int n)
{
	const size_t known = min_t(size_t, sizeof(*objs), d->obj_size);
	char __user *to = u64_to_user_ptr(d->buf) + (size_t)done * d->obj_size;
	unsigned int i;

	for (i = 0; i < n; i++, to += d->obj_size) {
		if (copy_to_user(to, &objs[i], known) ||
		    clear_user(to + known, d->obj_size - known))
			return -EFAULT;
	}
	return 0;
}

/* The cursor is the number of the next chain; a chain is given whole or not at all. */
static long bidx_ioc_dump(union bidx_arg *arg)
{
	struct buildidx_dump *d = &arg->dump;
	u64 steps = bidx_index_heads() + 1;
	struct buildidx_object *objs;
	u32 done = 0;
	long err = 0;

	if (!bidx_may_see_all())
		return -EPERM;
	if (d->flags || d->obj_size < sizeof(*objs) || d->obj_size > PAGE_SIZE || !d->count ||
	    d->count > BIDX_DUMP_MAX)
		return -EINVAL;
	objs = kvmalloc_array(BIDX_CHAIN_MAX, sizeof(*objs), GFP_KERNEL);
	if (!objs)
		return -ENOMEM;
	for (; d->cursor < steps && done < d->count; d->cursor++) {
		int n = bidx_dump_step(d->cursor, objs,
				       min_t(u32, d->count - done, BIDX_CHAIN_MAX));

		if (n == -ENOSPC && done)
			break;	/* the next call has room for it */
		err = n < 0 ? n : bidx_dump_copy(d, done, objs, n);
		if (err)
			break;
		done += n;
		if (fatal_signal_pending(current)) {
			err = -EINTR;
			break;
		}
		cond_resched();
	}
	kvfree(objs);
	if (err)
		return err;
	d->count = done;
	return 0;
}

static long bidx_ioc_stats(union bidx_arg *arg)
{
	struct buildidx_stats *s = &arg->stats;
	struct bidx_cpu_stats *sum;
	u32 size = s->size;
	s32 cpu = s->cpu;

	if (!bidx_may_see_all())
		return -EPERM;
	if (s->flags || s->pad || cpu < -1 || cpu >= (s32)nr_cpu_ids ||
	    (cpu >= 0 && !cpu_possible(cpu)))
		return -EINVAL;
	sum = kmalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	bidx_stats_sum(cpu, sum);
	memset(s, 0, sizeof(*s));
	s->size = size;
	s->cpu = cpu;
	s->nr_status = BUILDIDX_STATUS_COUNT;
	s->nr_counter = BUILDIDX_CNT_COUNT;
	memcpy(s->status, sum->status, sizeof(sum->status));
	memcpy(s->counter, sum->counter, sizeof(sum->counter));
	kfree(sum);
	return 0;
}

/* @min is the size of the first version of the struct: it stays when the struct grows. */
static const struct bidx_op {
	unsigned int cmd;
	size_t min;
	size_t size;
	long (*run)(union bidx_arg *arg);
	long (*run_here)(struct file *file, union bidx_arg *arg);	/* on this open file */
} bidx_ops[] = {
#define BIDX_OP(cmd, type, run) \
	{ cmd, sizeof(struct type), sizeof(struct type), run, NULL }
#define BIDX_OP_GROWN(cmd, type, first_new, run) \
	{ cmd, offsetof(struct type, first_new), sizeof(struct type), run, NULL }
#define BIDX_OP_HERE(cmd, type, run_here) \
	{ cmd, sizeof(struct type), sizeof(struct type), NULL, run_here }
	BIDX_OP_GROWN(BUILDIDX_IOC_INFO, buildidx_info, kernel_state, bidx_ioc_info),
	BIDX_OP(BUILDIDX_IOC_QUERY_FD, buildidx_query_fd, bidx_ioc_query_fd),
	BIDX_OP(BUILDIDX_IOC_QUERY_ADDR, buildidx_query_addr, bidx_ioc_query_addr),
	BIDX_OP(BUILDIDX_IOC_QUERY_EXE, buildidx_query_exe, bidx_ioc_query_exe),
	BIDX_OP(BUILDIDX_IOC_OBJECT, buildidx_query_object, bidx_ioc_object),
	BIDX_OP(BUILDIDX_IOC_DUMP, buildidx_dump, bidx_ioc_dump),
	BIDX_OP(BUILDIDX_IOC_STATS, buildidx_stats, bidx_ioc_stats),
	BIDX_OP(BUILDIDX_IOC_RECORD, buildidx_query_record, bidx_ioc_record),
	BIDX_OP(BUILDIDX_IOC_RECORDS, buildidx_dump_records, bidx_ioc_records),
	BIDX_OP(BUILDIDX_IOC_ADOPT, buildidx_adopt, bidx_ioc_adopt),
	BIDX_OP_HERE(BUILDIDX_IOC_STREAM, buildidx_stream, bidx_ioc_stream),
};

static long bidx_ioctl(struct file *file, unsigned int cmd, unsigned long uarg)
{
	void __user *user = (void __user *)uarg;
	const struct bidx_op *op = NULL;
	union bidx_arg *arg;
	unsigned int i;
	u32 size;
	long err;

	/* The size in the command is that of the caller's struct: only the number counts. */
	if (_IOC_TYPE(cmd) != BUILDIDX_IOC_MAGIC ||
	    _IOC_DIR(cmd) != (_IOC_READ | _IOC_WRITE))
		return -ENOTTY;
	for (i = 0; i < ARRAY_SIZE(bidx_ops); i++)
		if (_IOC_NR(cmd) == _IOC_NR(bidx_ops[i].cmd))
			op = &bidx_ops[i];
	if (!op)
		return -ENOTTY;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < op->min)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	arg = kzalloc(sizeof(*arg), GFP_KERNEL);
	if (!arg)
		return -ENOMEM;
	err = copy_struct_from_user(arg, op->size, user, size);
	if (err)
		goto out;
	arg->info.size = size;	/* @size is first in each; it may have changed meanwhile */
	err = op->run_here ? op->run_here(file, arg) : op->run(arg);
	if (!err && copy_to_user(user, arg, min_t(size_t, size, op->size)))
		err = -EFAULT;
out:
	kfree(arg);
	return err;
}

static const struct file_operations bidx_fops = {
	.owner = THIS_MODULE,
	.open = bidx_reader_open,
	.release = bidx_reader_release,
	.read = bidx_reader_read,
	.poll = bidx_reader_poll,
	.unlocked_ioctl = bidx_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice bidx_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "buildidx",
	.fops = &bidx_fops,
	.mode = 0660,
};

/* Context: may sleep. Return: 0 or an errno. */
int bidx_device_init(void)
{
	int err = misc_register(&bidx_misc);

	if (err)
		pr_err("cannot register /dev/buildidx (%d)\n", err);
	return err;
}

/* Nobody has the device open: an open file holds the module. */
void bidx_device_exit(void)
{
	misc_deregister(&bidx_misc);
}
